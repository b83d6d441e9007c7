import type { BugObject } from '../../../tracker/bugs/read/shape.ts'
import { toInternalName } from '../../../tracker/fields/names.ts'
import { BugLink, Status } from '../parts/bug-link.tsx'
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

type Traits = Partial<Omit<Column, 'name' | 'label'>>

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
const ID: Column = column('bug_id', 'ID', 'id', {
  reads: ['id', ...STATUS_FIELDS],
  isNumber: true,
  view: ({ id, status, resolution, is_open }) =>
    BugLink({ bug: { id, status, resolution, is_open } }),
})

/** All columns that a list may have, but for custom fields. */
export const COLUMNS: readonly Column[] = [
  column('short_desc', 'Summary', 'summary', {
    reads: ['id', 'summary', 'is_open'],
    view: (bug) => <a href={`/bug/${bug.id}`}>{bug.summary}</a>,
  }),
  column('bug_status', 'Status', 'status', {
    reads: STATUS_FIELDS,
    view: (bug) => Status({ bug }),
  }),
  column('resolution', 'Resolution', 'resolution'),
  column('bug_type', 'Type', 'type'),
  column('priority', 'Priority', 'priority'),
  column('bug_severity', 'Severity', 'severity'),
  column('product', 'Product', 'product'),
  column('component', 'Component', 'component'),
  column('classification', 'Classification', 'classification'),
  column('version', 'Version', 'version'),
  column('target_milestone', 'Milestone', 'target_milestone'),
  column('rep_platform', 'Platform', 'platform'),
  column('op_sys', 'System', 'op_sys'),
  ...person('assigned_to', 'Assignee', 'assigned_to_detail'),
  ...person('reporter', 'Reporter', 'creator_detail'),
  ...person('qa_contact', 'QA contact', 'qa_contact_detail'),
  ...person('triage_owner', 'Triage owner', 'triage_owner_detail').slice(0, 1),
  column('keywords', 'Keywords', 'keywords'),
  column('flagtypes.name', 'Flags', 'flags', {
    text: ({ flags = [] }) =>
      flags
        .map(({ name, status, requestee }) =>
          requestee === undefined ? `${name}${status}` : `${name}${status}(${requestee})`,
        )
        .join(', '),
  }),
  column('status_whiteboard', 'Whiteboard', 'whiteboard'),
  column('alias', 'Alias', 'alias'),
  column('bug_file_loc', 'URL', 'url'),
  moment('opendate', 'Opened', 'creation_time'),
  moment('changeddate', 'Changed', 'last_change_time'),
  column('deadline', 'Deadline', 'deadline'),
  ...[
    ['estimated_time', 'Estimated hours'],
    ['remaining_time', 'Hours left'],
    ['actual_time', 'Hours worked'],
  ].map(([name = '', label = '']) => column(name, label, name, { isNumber: true })),
  column('dependson', 'Depends on', 'depends_on', { isOrdered: false }),
  column('blocked', 'Blocks', 'blocks', { isOrdered: false }),
  column('dup_id', 'Duplicate of', 'dupe_of'),
  column('longdescs.count', 'Comments', 'comment_count', { isNumber: true }),
  column('cc_count', 'CC', 'cc', { isNumber: true, text: ({ cc = [] }) => String(cc.length) }),
  column('tag', 'My tags', 'tags', { isOrdered: false }),
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
  return column(name, label ?? plain.charAt(0).toUpperCase() + plain.slice(1), name)
}

function column(name: string, label: string, field: string, traits: Traits = {}): Column {
  const text = (bug: BugObject) => toText(bug[field])
  return { name, label, reads: [field], isNumber: false, isOrdered: true, text, ...traits }
}

type PersonField =
  | 'assigned_to_detail'
  | 'creator_detail'
  | 'qa_contact_detail'
  | 'triage_owner_detail'

/** A column for the login, in whose place pages have the name, and one for the name. */
function person(name: string, label: string, field: PersonField): Column[] {
  return [
    column(name, label, field, {
      text: (bug) => bug[field]?.name ?? '',
      view: (bug) => bug[field] && PersonLink({ person: bug[field] }),
    }),
    column(`${name}_realname`, `Name of ${label}`, field, {
      text: (bug) => bug[field]?.real_name ?? '',
    }),
  ]
}

function moment(name: string, label: string, field: 'creation_time' | 'last_change_time'): Column {
  return column(name, label, field, {
    text: (bug) => (bug[field] ?? '').replace('T', ' ').replace('Z', ''),
    view: (bug) => Moment({ at: bug[field] }),
  })
}

function toText(value: unknown): string {
  return Array.isArray(value) ? value.join(', ') : String(value ?? '')
}
