import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { toInternalName } from '../../../tracker/fields/names.ts'
import { BugLink, LinkedStatus } from '../parts/bug-link.tsx'
import { labelOf } from '../parts/labels.ts'
import { Moment } from '../parts/moment.tsx'
import { PersonLink } from '../parts/person.tsx'

/** A column of a list of bugs, under the name that addresses of lists have for it. */
export type Column = {
  readonly name: string
  readonly label: string
  /** The fields of bugs that it needs. */
  readonly reads: readonly string[]
  readonly isNumber: boolean
  /** Whether lists can be ordered by it. */
  readonly isOrdered: boolean
  /** For files and feeds. */
  readonly text: (bug: BugObject) => string
  /**
   * For pages, where that is more than the text. Cells are many, so it calls components as the functions that they are.
   */
  readonly view?: (bug: BugObject) => unknown
}

type Traits = Partial<Omit<Column, 'name'>>

const STATUS_FIELDS = ['status', 'resolution', 'is_open']

/** Columns of the plain list, the number ahead of them. */
const DEFAULT_COLUMNS = [
  'short_desc',
  'product',
  'component',
  'assigned_to',
  'bug_status',
  'priority',
  'bug_severity',
  'changeddate',
]

/** Columns of files for programs, which have always been these unless others are asked for. */
const DEFAULT_FILE_COLUMNS = [
  'product',
  'component',
  'assigned_to',
  'bug_status',
  'resolution',
  'short_desc',
  'changeddate',
]

/** Lists have a column for the number anyway. */
const ID: Column = column('bug_id', 'id', {
  reads: ['id', ...STATUS_FIELDS],
  isNumber: true,
  view: ({ id, status, resolution, is_open }) =>
    BugLink({ bug: { id, status, resolution, is_open } }),
})

/** All columns that a list may have, but for custom fields. */
export const COLUMNS: readonly Column[] = [
  column('short_desc', 'summary', {
    reads: ['id', 'summary', 'is_open'],
    view: (bug) => <a href={`/bug/${bug.id}`}>{bug.summary}</a>,
  }),
  column('bug_status', 'status', {
    reads: STATUS_FIELDS,
    view: (bug) => LinkedStatus({ bug }),
  }),
  ...plain('resolution', 'type', 'priority', 'severity', 'product', 'component'),
  ...plain('classification', 'version', 'target_milestone', 'platform', 'op_sys'),
  ...person('assigned_to', 'assigned_to_detail'),
  ...person('reporter', 'creator_detail'),
  ...person('qa_contact', 'qa_contact_detail'),
  ...person('triage_owner', 'triage_owner_detail').slice(0, 1),
  ...plain('keywords'),
  column('flagtypes.name', 'flags', {
    text: ({ flags = [] }) =>
      flags
        .map(({ name, status, requestee }) =>
          requestee === undefined ? `${name}${status}` : `${name}${status}(${requestee})`,
        )
        .join(', '),
  }),
  ...plain('whiteboard', 'alias', 'url'),
  moment('opendate', 'creation_time'),
  moment('changeddate', 'last_change_time'),
  ...plain('deadline'),
  ...['estimated_time', 'remaining_time', 'actual_time'].map((name) =>
    column(name, name, { isNumber: true }),
  ),
  column('dependson', 'depends_on', { isOrdered: false }),
  column('blocked', 'blocks', { isOrdered: false }),
  column('dup_id', 'dupe_of'),
  column('longdescs.count', 'comment_count', { isNumber: true }),
  column('cc_count', 'cc', { isNumber: true, text: ({ cc = [] }) => String(cc.length) }),
  column('tag', 'tags', { isOrdered: false }),
]

const BY_NAME: ReadonlyMap<string, Column> = new Map([ID, ...COLUMNS].map((one) => [one.name, one]))

const OTHER_NAMES: ReadonlyMap<string, string> = new Map([
  ['short_short_desc', 'short_desc'],
  ['creation_ts', 'opendate'],
  ['delta_ts', 'changeddate'],
  ['work_time', 'actual_time'],
])

/** The columns that an address names, by any name that searches know, the number first; those of a plain list else. */
export function chooseColumns(given: readonly string[], isFile = false): readonly Column[] {
  const names = namesOf(given)
  const chosen = names.length > 0 ? names : isFile ? DEFAULT_FILE_COLUMNS : DEFAULT_COLUMNS
  const found = chosen.flatMap((name) => (name === 'all' ? COLUMNS : (findColumn(name) ?? [])))
  return [...new Map([ID, ...found].map((one) => [one.name, one])).values()]
}

/** Names in an address that no column has, whoever asks. */
export function listUnknownColumns(given: readonly string[]): string[] {
  return namesOf(given).filter((name) => name !== 'all' && findColumn(name) === undefined)
}

function namesOf(given: readonly string[]): string[] {
  return given.flatMap((list) => list.split(/[\s,]+/)).filter((name) => name !== '')
}

function findColumn(given: string): Column | undefined {
  const name = toInternalName(given)
  const known = BY_NAME.get(OTHER_NAMES.get(name) ?? name)
  return known ?? (/^cf_\w{1,60}$/.test(name) ? customColumn(name) : undefined)
}

/** A custom field has the label that its name suggests where nobody has looked it up. */
export function customColumn(name: string, label?: string): Column {
  const plain = name.slice(3).replaceAll('_', ' ')
  return column(name, name, { label: label ?? plain.charAt(0).toUpperCase() + plain.slice(1) })
}

function column(name: string, field: string, traits: Traits = {}): Column {
  const label = labelOf(field)
  const text = (bug: BugObject) => toText(bug[field])
  return { name, label, reads: [field], isNumber: false, isOrdered: true, text, ...traits }
}

/** Columns that are called as searches call the fields. */
function plain(...fields: readonly string[]): Column[] {
  return fields.map((field) => column(toInternalName(field), field))
}

type PersonField =
  | 'assigned_to_detail'
  | 'creator_detail'
  | 'qa_contact_detail'
  | 'triage_owner_detail'

/** A column for the login, in whose place pages have the name, and one for the name. */
function person(name: string, field: PersonField): Column[] {
  const label = labelOf(field.replace('_detail', ''))
  return [
    column(name, field, {
      label,
      text: (bug) => bug[field]?.name ?? '',
      view: (bug) => bug[field] && PersonLink({ person: bug[field] }),
    }),
    column(`${name}_realname`, field, {
      label: `Name of ${label}`,
      text: (bug) => bug[field]?.real_name ?? '',
    }),
  ]
}

function moment(name: string, field: 'creation_time' | 'last_change_time'): Column {
  return column(name, field, {
    text: (bug) => (bug[field] ?? '').replace('T', ' ').replace('Z', ''),
    view: (bug) => Moment({ at: bug[field] }),
  })
}

function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
