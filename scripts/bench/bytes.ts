import { withDatabase, withDataSet } from './data-set.ts'
import { sum } from './statistics.ts'
import { formatTable } from './table.ts'

/** What stands behind a full-text table: its entries, their places, the lengths of its documents, its settings. */
const PART_OF_FULL_TEXT = /(?<=_fts_.*|_fts)_(data|idx|docsize|content|config)$/

/** From this share on, a table or index has a line of its own. */
const LEAST_SHARE = 0.002

const PLACES = `SELECT s.tbl_name AS "table", d.name AS name, d.pgsize AS bytes, d.unused AS unused
  FROM dbstat d JOIN sqlite_schema s ON s.name = d.name WHERE d.aggregate = 1`

type Place = { table: string; name: string; bytes: number; unused: number }

/** Prints the bytes of each table and index of a tracker, alone and for each bug. */
export function measureBytes(bugs: number, folder?: string): Promise<void> {
  return folder === undefined
    ? withDataSet(bugs, (data) => printBytes(data.folder))
    : printBytes(folder)
}

async function printBytes(folder: string): Promise<void> {
  const { rows, bugs } = await withDatabase(folder, (database) => ({
    rows: database.prepare(PLACES).all() as Place[],
    bugs: Number(database.prepare('SELECT count(*) AS bugs FROM bugs').get()?.bugs),
  }))
  const places = rows.map(({ table, name, ...place }): Place => {
    const whole = table.replace(PART_OF_FULL_TEXT, '')
    return { ...place, table: whole, name: name === table ? whole : name }
  })
  const all = addUp('all', places)
  const isLarge = ({ bytes }: Place) => bytes >= all.bytes * LEAST_SHARE
  const byName = [...Map.groupBy(places, ({ name }) => name).values()].map(
    (parts): Place => ({ ...addUp(parts[0]?.name ?? '', parts), table: parts[0]?.table ?? '' }),
  )
  const large = byName.filter(isLarge).sort((a, b) => b.bytes - a.bytes)
  const small = byName.filter((place) => !isLarge(place))
  const lines = [...large, addUp(`${small.length} smaller ones`, small), all]
  const table = formatTable(lines, {
    'table or index': ({ name }) => name,
    of: (line) => (line.table === line.name ? '' : line.table),
    MB: ({ bytes }) => Math.round(bytes / 1e6),
    'bytes a bug': ({ bytes }) => Math.round(bytes / bugs),
    '%': ({ bytes }) => Math.round((bytes / all.bytes) * 1000) / 10,
    'unused %': ({ bytes, unused }) => Math.round((unused / bytes) * 100),
  })
  process.stdout.write(`${bugs.toLocaleString('en')} bugs\n${table}\n`)
}

function addUp(name: string, places: readonly Place[]) {
  const [bytes, unused] = [places.map((one) => one.bytes), places.map((one) => one.unused)]
  return { table: '', name, bytes: sum(bytes), unused: sum(unused) }
}
