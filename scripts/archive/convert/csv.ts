import { createReadStream, existsSync } from 'node:fs'
import { parse } from 'csv-parse'
import { CommandError } from '../../command.ts'
import { readDay, readId, readTime } from '../fetch/read.ts'
import type { SourceBug, SourceComment, SourcePerson } from '../source/shapes.ts'
import type { Conversion } from './convert.ts'

/** The columns of a Jira; a mapping names others. */
const COLUMNS: Readonly<Record<string, string>> = {
  id: 'Issue key',
  summary: 'Summary',
  description: 'Description',
  product: 'Project name',
  component: 'Component/s',
  version: 'Affects Version/s',
  target_milestone: 'Fix Version/s',
  status: 'Status',
  resolution: 'Resolution',
  type: 'Issue Type',
  priority: 'Priority',
  severity: 'Severity',
  assigned_to: 'Assignee',
  creator: 'Reporter',
  cc: 'Watchers',
  keywords: 'Labels',
  deadline: 'Due Date',
  creation_time: 'Created',
  last_change_time: 'Updated',
  comment: 'Comment',
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** The address of people who have none in the file. */
const NOWHERE = 'imported.invalid'

/** A row by the names of columns, in any case; a name may stand several times. */
type Row = ReadonlyMap<string, readonly string[]>

/** Rows of a CSV file as bugs. A cell of comments is a text, or time, author and text with semicolons between them. */
export async function* convertCsv({
  from,
  mapping,
  notes,
  describe,
}: Conversion): AsyncGenerator<SourceBug> {
  if (!existsSync(from)) {
    throw new CommandError(`${from} does not exist.`)
  }
  notes.add('a CSV file has no history and no attachments')
  describe({ name: from.replace(/^.*\//, '') })
  const columns = { ...COLUMNS, ...mapping.columns }
  const numbers = new CommentNumbers()
  for await (const { row, line } of readRows(from)) {
    const cells = (member: string) => row.get((columns[member] ?? '').toLowerCase()) ?? []
    const bug = toBug(cells, {
      custom: Object.keys(mapping.columns).filter((name) => name.startsWith('cf_')),
      ...{ constants: mapping.constants, numbers },
    })
    if (bug === null) {
      notes.add(
        'rows without a number, a summary or a time of creation are left out',
        `line ${line}`,
      )
    } else {
      yield bug
    }
  }
}

type Given = {
  readonly custom: readonly string[]
  readonly constants: Readonly<Record<string, string>>
  readonly numbers: CommentNumbers
}

function toBug(
  cells: (member: string) => readonly string[],
  { custom, constants, numbers }: Given,
): SourceBug | null {
  const text = (member: string, fallback = '') => cells(member)[0] || constants[member] || fallback
  const id = readId(/(\d+)\s*$/.exec(text('id'))?.[1])
  const created = readAnyTime(text('creation_time'))
  if (id === null || created === null || text('summary') === '') {
    return null
  }
  const people: SourcePerson[] = []
  const login = (name: string) => {
    const own = loginOf(name)
    if (own !== name && own !== '') {
      people.push({ name: own, real_name: name })
    }
    return own
  }
  const creator = login(text('creator'))
  const resolution = /^(unresolved|none|open)$/i.test(text('resolution')) ? '' : text('resolution')
  const description = { time: created, author: creator, text: text('description') }
  const comments = [description, ...cells('comment').map((cell) => readComment(cell, description))]
  return {
    ...{ id, alias: null, summary: text('summary').slice(0, 255) },
    ...{ product: text('product', 'Imported'), component: text('component', 'General') },
    ...{ version: text('version'), target_milestone: text('target_milestone') },
    ...{ status: text('status', 'CONFIRMED'), resolution, is_confirmed: true },
    ...{ type: text('type', 'defect'), priority: text('priority', '--') },
    severity: text('severity', '--'),
    ...{ platform: text('platform', 'Unspecified'), op_sys: text('op_sys', 'Unspecified') },
    ...{ assigned_to: login(text('assigned_to')), creator, qa_contact: null },
    ...{ is_cc_accessible: true, is_creator_accessible: true },
    ...{ url: text('url'), whiteboard: text('whiteboard') },
    ...{ deadline: readDay(readAnyTime(text('deadline'))), estimated_time: 0, remaining_time: 0 },
    creation_time: created,
    last_change_time: readAnyTime(text('last_change_time')) ?? created,
    cc: cells('cc').flatMap(splitList).map(login),
    groups: [],
    keywords: cells('keywords').flatMap(splitList),
    custom: Object.fromEntries(custom.map((name) => [name, cells(name).join(', ')])),
    ...{ dupe_of: null, depends_on: [], regressed_by: [], see_also: [] },
    ...{ flags: [], history: [], attachments: [] },
    comments: comments.map(
      (comment): SourceComment => ({
        ...{ id: numbers.next(), creator: login(comment.author), creation_time: comment.time },
        ...{ text: comment.text, is_private: false, is_markdown: false },
        ...{ attachment_id: null, tags: [] },
      }),
    ),
    people,
  }
}

/** Comments have no numbers there. */
class CommentNumbers {
  #last = 0

  next(): number {
    this.#last += 1
    return this.#last
  }
}

type Comment = { readonly time: string; readonly author: string; readonly text: string }

function readComment(cell: string, { time, author }: Comment): Comment {
  const [first = '', second = '', ...rest] = cell.split(';')
  const own = readAnyTime(first)
  return own === null || rest.length === 0
    ? { time, author, text: cell }
    : { time: own, author: second.trim(), text: rest.join(';') }
}

function splitList(cell: string): string[] {
  return cell.split(/[\s,]+/).filter((name) => name !== '')
}

/** People without an address get one that nothing can be sent to. */
function loginOf(name: string): string {
  const plain = name.trim()
  if (plain === '' || plain.includes('@')) {
    return plain
  }
  return `${plain.toLowerCase().replace(/[^a-z0-9._-]+/g, '.')}@${NOWHERE}`
}

/** Also `01/Mar/26 10:05 AM`. */
function readAnyTime(text: string): string | null {
  const [, day = '', month = '', year = '', hour = '0', minute = '0', half = ''] =
    /^(\d{1,2})\/([A-Za-z]{3})\/(\d{2,4})(?: (\d{1,2}):(\d\d)(?: ([AP]M))?)?$/.exec(text.trim()) ??
    []
  if (day === '') {
    return readTime(text.trim().length === 10 ? `${text.trim()} 00:00:00` : text)
  }
  const hours = (Number(hour) % (half === '' ? 24 : 12)) + (half === 'PM' ? 12 : 0)
  const fullYear = Number(year) < 100 ? 2000 + Number(year) : Number(year)
  const monthNumber = MONTHS.indexOf(month.toLowerCase())
  const time = Date.UTC(fullYear, monthNumber, Number(day), hours, Number(minute))
  return Number.isNaN(time) ? null : readTime(new Date(time).toISOString())
}

async function* readRows(path: string): AsyncGenerator<{ row: Row; line: number }> {
  const rows = createReadStream(path).pipe(
    parse({ bom: true, relax_column_count: true, skip_empty_lines: true, info: true }),
  )
  let heads: readonly string[] | null = null
  try {
    for await (const { record, info } of rows as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      if (heads === null) {
        heads = record.map((head) => head.trim().toLowerCase())
        continue
      }
      const row = new Map<string, string[]>()
      for (const [n, cell] of record.entries()) {
        const head = heads[n] ?? ''
        if (cell !== '') {
          row.set(head, [...(row.get(head) ?? []), cell.replaceAll('\r\n', '\n')])
        }
      }
      yield { row, line: info.lines }
    }
  } catch (error) {
    throw new CommandError(`${path}: ${error instanceof Error ? error.message : error}`)
  }
}
