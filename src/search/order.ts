import type { SQL } from 'drizzle-orm'
import type { Caller, Viewer } from '../access/caller.ts'
import { canTrackTime, isInsider } from '../access/rights.ts'
import { visibleCommentCount } from '../access/visibility.ts'
import { sql } from '../db/sql.ts'
import type { OrderIndex } from './conditions.ts'

/** How a search is ordered. */
export type SearchOrder = {
  readonly by: readonly SQL[]
  /** The column whose index gives that order, if one does. */
  readonly orderIndex: OrderIndex | null
  /** That of the first column. */
  readonly direction: SQL
  /** The same order in a form that keeps SQLite from choosing an index for it. */
  readonly sorted: readonly SQL[]
}

/** Who searches, and the bug numbers that the search was given. */
type OrderContext = { readonly caller: Caller; readonly ids: readonly string[] }

type OrderColumn = { name: string; direction: 'ASC' | 'DESC' }

/** Columns that anybody may order bugs by, under their internal names. */
const COLUMNS = new Map<string, SQL>(
  Object.entries({
    bug_id: 'bugs.id',
    alias: "coalesce(bugs.alias_fold, '')",
    short_desc: 'bugs.summary_fold',
    status_whiteboard: 'bugs.whiteboard_fold',
    bug_file_loc: 'bugs.url_fold',
    filed_via: 'bugs.filed_via',
    creation_ts: 'bugs.created_at',
    delta_ts: 'bugs.changed_at',
    everconfirmed: 'bugs.is_confirmed',
    reporter_accessible: 'bugs.is_creator_accessible',
    cclist_accessible: 'bugs.is_cc_accessible',
    bug_status: position('field_values', 'status_id'),
    resolution: position('field_values', 'resolution_id'),
    bug_type: position('field_values', 'type_id'),
    priority: position('field_values', 'priority_id'),
    bug_severity: position('field_values', 'severity_id'),
    rep_platform: position('field_values', 'platform_id'),
    op_sys: position('field_values', 'op_sys_id'),
    target_milestone: position('milestones', 'milestone_id'),
    product: text('products', 'product_id', 'name_fold'),
    component: text('components', 'component_id', 'name_fold'),
    version: text('versions', 'version_id', 'name_fold'),
    classification: `(SELECT o.name_fold FROM products p JOIN classifications o
      ON o.id = p.classification_id WHERE p.id = bugs.product_id)`,
    team_name: '(SELECT lower(o.team_name) FROM components o WHERE o.id = bugs.component_id)',
    assigned_to: text('users', 'assigned_to_id', 'login_fold'),
    reporter: text('users', 'reporter_id', 'login_fold'),
    qa_contact: text('users', 'qa_contact_id', 'login_fold'),
    triage_owner: `coalesce((SELECT o.login_fold FROM components c JOIN users o
      ON o.id = c.triage_owner_id WHERE c.id = bugs.component_id), '')`,
    assigned_to_realname: text('users', 'assigned_to_id', 'real_name_fold'),
    reporter_realname: text('users', 'reporter_id', 'real_name_fold'),
    qa_contact_realname: text('users', 'qa_contact_id', 'real_name_fold'),
  }).map(([name, expression]) => [name, sql.raw(expression)]),
)

/** Public names and old names of columns. */
const LEGACY_NAMES = new Map(
  Object.entries({
    id: 'bug_id',
    summary: 'short_desc',
    short_short_desc: 'short_desc',
    whiteboard: 'status_whiteboard',
    url: 'bug_file_loc',
    creation_time: 'creation_ts',
    opendate: 'creation_ts',
    last_change_time: 'delta_ts',
    changeddate: 'delta_ts',
    is_confirmed: 'everconfirmed',
    is_creator_accessible: 'reporter_accessible',
    is_cc_accessible: 'cclist_accessible',
    status: 'bug_status',
    type: 'bug_type',
    severity: 'bug_severity',
    platform: 'rep_platform',
    creator: 'reporter',
    comment_count: 'longdescs.count',
    longdescs_count: 'longdescs.count',
    actual_time: 'work_time',
    'map_assigned_to.login_name': 'assigned_to',
    'map_products.name': 'product',
  }),
)

const SHORTCUTS = new Map([
  ['bug number', 'bug_id'],
  ['importance', 'priority,bug_severity'],
  ['assignee', 'assigned_to,bug_status,priority,bug_id'],
  ['last updated', 'delta_ts DESC'],
])

const ORDER_INDEXES = new Map<string, OrderIndex>([
  ['bug_id', 'id'],
  ['creation_ts', 'created_at'],
  ['delta_ts', 'changed_at'],
])

/**
 * Parses `order`: columns separated by commas, each perhaps with ASC or DESC; one of the shortcuts; or
 * `bug_list`, the sequence in which the numbers are given. Unknown columns, and those that the caller
 * may not see, are dropped; the bug ID is always the last, so that pages do not overlap. Contract "Bugs",
 * Search Bugs.
 */
export function parseOrder(given: readonly string[], context: OrderContext): SearchOrder {
  const columns = new Map<string, { column: SQL; direction: SQL }>()
  const requested = given.flatMap(expandShortcut).map(parseColumn)
  for (const { name, direction } of [...requested, { name: 'bug_id', direction: 'ASC' }]) {
    const column = columnNamed(name, context)
    if (column !== undefined && !columns.has(name)) {
      columns.set(name, { column, direction: sql.raw(direction) })
    }
  }
  const [first = ''] = columns.keys()
  const all = [...columns.values()]
  const direction = all[0]?.direction ?? sql`ASC`
  return {
    direction,
    by: all.map(({ column, direction }) => sql`${column} ${direction}`),
    sorted: all.map(({ column, direction }) => sql`+${column} ${direction}`),
    orderIndex: ORDER_INDEXES.get(first) ?? null,
  }
}

function expandShortcut(given: string): string[] {
  const trimmed = given.trim()
  const [direction = ''] = /\s(?:asc|desc)$/i.exec(trimmed) ?? []
  const shortcut = trimmed.slice(0, trimmed.length - direction.length).trim()
  const columns = SHORTCUTS.get(shortcut.toLowerCase())
  if (columns === undefined) {
    return given.split(',')
  }
  const [first = '', ...others] = columns.split(',')
  return [direction === '' ? first : `${first.split(' ')[0]}${direction}`, ...others]
}

function parseColumn(column: string): OrderColumn {
  const [name = '', direction = ''] = column.trim().toLowerCase().split(/\s+/)
  const plain = name.replace(/^bugs\./, '')
  return {
    name: LEGACY_NAMES.get(plain) ?? plain,
    direction: direction === 'desc' ? 'DESC' : 'ASC',
  }
}

function columnNamed(name: string, { caller, ids }: OrderContext): SQL | undefined {
  if (name === 'bug_list') {
    return sequence(ids)
  }
  if (name === 'longdescs.count') {
    return visibleCommentCount(caller)
  }
  return COLUMNS.get(name) ?? (canTrackTime(caller) ? hours(name, caller) : undefined)
}

/** The place of each bug among the numbers; undefined unless all that was given is numbers. */
function sequence(ids: readonly string[]): SQL | undefined {
  const numbers = ids.flatMap((value) => value.split(',')).map((value) => value.trim())
  return numbers.length > 0 && numbers.every((number) => /^\d{1,15}$/.test(number))
    ? sql`instr(${`,${numbers.map(Number).join(',')},`}, ',' || bugs.id || ',')`
    : undefined
}

function hours(name: string, caller: Caller): SQL | undefined {
  switch (name) {
    case 'deadline':
      return sql`coalesce(bugs.deadline, '')`
    case 'estimated_time':
    case 'remaining_time':
      return sql.raw(`bugs.${name}`)
    case 'work_time':
      return hoursWorked(caller)
    default:
      return undefined
  }
}

/** Select values and milestones stand in the order that was configured, those of one place by name. */
function position(table: string, column: string): string {
  return `(SELECT printf('%011d', o.sort_key + 2147483648) || o.name_fold
    FROM ${table} o WHERE o.id = bugs.${column})`
}

function text(table: string, column: string, what: string): string {
  return `coalesce((SELECT o.${what} FROM ${table} o WHERE o.id = bugs.${column}), '')`
}

/** The hours worked that the viewer may know of: those on private comments are for insiders. */
export function hoursWorked(viewer: Viewer): SQL {
  return sql.raw(isInsider(viewer) ? 'bugs.worked_time' : 'bugs.public_worked_time')
}
