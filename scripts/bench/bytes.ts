import { openDatabase, withDataSet } from './data-set.ts'
import { formatTable } from './table.ts'

/** What stands behind a full-text table: its entries, their places, the lengths of its documents, its settings. */
const PART_OF_FULL_TEXT = /_(data|idx|docsize|content|config)$/

/** From this share on, a table or index has a line of its own. */
const LEAST_SHARE = 0.002

type Place = { table: string; name: string; bytes: number; unused: number }

/** Prints the bytes of each table and index of a tracker, alone and for each bug. */
export function measureBytes(bugs: number, folder?: string): Promise<void> {
  return folder === undefined
    ? withDataSet(bugs, async (data) => printBytes(data.folder))
    : printBytes(folder)
}

async function printBytes(folder: string): Promise<void> {
  const database = openDatabase(folder)
  const rows = database
    .prepare(
      `SELECT s.tbl_name AS "table", d.name AS name, d.pgsize AS bytes, d.unused AS unused
        FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1`,
    )
    .all()
  const count = database.prepare('SELECT count(*) AS bugs FROM bugs').get()
  database.close()
  const places = rows.map(({ table, name, bytes, unused }): Place => {
    const whole = String(table).includes('_fts_')
      ? String(table).replace(PART_OF_FULL_TEXT, '')
      : String(table)
    const own = name === table && whole !== table ? whole : String(name)
    return { table: whole, name: own, bytes: Number(bytes), unused: Number(unused) }
  })
  const bugs = Number(count?.bugs)
  const total = sumOf(places).bytes
  const byName = [...Map.groupBy(places, ({ name }) => name).values()].map(sumOf)
  const large = byName.filter(({ bytes }) => bytes >= total * LEAST_SHARE)
  const small = byName.filter(({ bytes }) => bytes < total * LEAST_SHARE)
  const lines = [
    ...large.sort((a, b) => b.bytes - a.bytes),
    { ...sumOf(small), table: '', name: `${small.length} smaller ones` },
    { ...sumOf(places), table: '', name: 'all' },
  ]
  const table = formatTable(lines, {
    'table or index': ({ name }) => name,
    of: (line) => (line.table === line.name ? '' : line.table),
    MB: ({ bytes }) => Math.round(bytes / 1e6),
    'bytes a bug': ({ bytes }) => Math.round(bytes / bugs),
    '%': ({ bytes }) => Math.round((bytes / total) * 1000) / 10,
    'unused %': ({ bytes, unused }) => Math.round((unused / bytes) * 100),
  })
  process.stdout.write(`${bugs.toLocaleString('en')} bugs\n${table}\n`)
}

function sumOf(places: readonly Place[]): Place {
  const [first = { table: '', name: '' }] = places
  const add = (key: 'bytes' | 'unused') => places.reduce((sum, place) => sum + place[key], 0)
  return { ...first, bytes: add('bytes'), unused: add('unused') }
}
