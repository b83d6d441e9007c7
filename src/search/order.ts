import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Caller } from '../access/caller.ts'
import { canTrackTime } from '../access/rights.ts'
import { visibleCommentCount } from '../access/visibility.ts'
import { bugs } from '../db/schema/bugs.ts'
import { components } from '../db/schema/components.ts'
import { fieldValues } from '../db/schema/fields.ts'
import { classifications, milestones, products, versions } from '../db/schema/products.ts'
import { users } from '../db/schema/users.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { hoursWorked } from './hours-worked.ts'
import type { OrderIndex } from './order-index.ts'

/** How a search is ordered. */
export type SearchOrder = {
  readonly by: readonly SQL[]
  /** The column whose index gives that order, if one does. */
  readonly orderIndex: OrderIndex | null
  /** It is by ID alone. */
  readonly isById: boolean
  readonly isDescending: boolean
  /** The same order in a form that keeps SQLite from choosing an index for it. */
  readonly sorted: readonly SQL[]
}

/** Who searches, and the bug numbers that the search was given. */
type OrderContext = { readonly caller: Caller; readonly ids: readonly string[] }

type OrderColumn = { name: string; direction: 'ASC' | 'DESC' }

/** Columns that anybody may order bugs by, under their internal names. */
const COLUMNS = new Map<string, SQL>(
  Object.entries({
    bug_id: sql`${bugs.id}`,
    alias: sql`coalesce(${bugs.aliasFold}, '')`,
    short_desc: sql`${bugs.summaryFold}`,
    status_whiteboard: sql`${bugs.whiteboardFold}`,
    bug_file_loc: sql`${bugs.urlFold}`,
    filed_via: sql`${bugs.filedVia}`,
    creation_ts: sql`${bugs.createdAt}`,
    delta_ts: sql`${bugs.changedAt}`,
    everconfirmed: sql`${bugs.isConfirmed}`,
    reporter_accessible: sql`${bugs.isCreatorAccessible}`,
    cclist_accessible: sql`${bugs.isCcAccessible}`,
    bug_status: placeOf(fieldValues, bugs.statusId),
    resolution: placeOf(fieldValues, bugs.resolutionId),
    bug_type: placeOf(fieldValues, bugs.typeId),
    priority: placeOf(fieldValues, bugs.priorityId),
    bug_severity: placeOf(fieldValues, bugs.severityId),
    rep_platform: placeOf(fieldValues, bugs.platformId),
    op_sys: placeOf(fieldValues, bugs.opSysId),
    target_milestone: placeOf(milestones, bugs.milestoneId),
    product: textOf(products, bugs.productId, 'nameFold'),
    component: textOf(components, bugs.componentId, 'nameFold'),
    version: textOf(versions, bugs.versionId, 'nameFold'),
    classification: sql`(SELECT ${classifications.nameFold} FROM products JOIN classifications
      ON ${classifications.id} = ${products.classificationId} WHERE ${products.id} = ${bugs.productId})`,
    team_name: sql`(SELECT lower(${components.teamName}) FROM components WHERE ${components.id} = ${bugs.componentId})`,
    assigned_to: textOf(users, bugs.assignedToId, 'loginFold'),
    reporter: textOf(users, bugs.reporterId, 'loginFold'),
    qa_contact: textOf(users, bugs.qaContactId, 'loginFold'),
    triage_owner: sql`coalesce((SELECT ${users.loginFold} FROM components JOIN users
      ON ${users.id} = ${components.triageOwnerId} WHERE ${components.id} = ${bugs.componentId}), '')`,
    assigned_to_realname: textOf(users, bugs.assignedToId, 'realNameFold'),
    reporter_realname: textOf(users, bugs.reporterId, 'realNameFold'),
    qa_contact_realname: textOf(users, bugs.qaContactId, 'realNameFold'),
  }),
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
  ['bug_id', bugs.id],
  ['creation_ts', bugs.createdAt],
  ['delta_ts', bugs.changedAt],
])

/**
 * Parses `order`: columns separated by commas, each perhaps with ASC or DESC; one of the shortcuts; or
 * `bug_list`, the sequence in which the numbers are given. Unknown columns, and those that the caller
 * may not see, are dropped; the bug ID is always the last, so that pages do not overlap. Reference: search.md, "Order".
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
  return {
    isById: first === 'bug_id',
    isDescending: requested[0]?.direction === 'DESC' && first === requested[0].name,
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
    ? sql`instr(${`,${numbers.map(Number).join(',')},`}, ',' || ${bugs.id} || ',')`
    : undefined
}

function hours(name: string, caller: Caller): SQL | undefined {
  switch (name) {
    case 'deadline':
      return sql`coalesce(${bugs.deadline}, '')`
    case 'estimated_time':
      return sql`${bugs.estimatedTime}`
    case 'remaining_time':
      return sql`${bugs.remainingTime}`
    case 'work_time':
      return hoursWorked(caller)
    default:
      return undefined
  }
}

/** Select values and milestones stand in the order that was configured, those of one place by name. */
function placeOf(table: typeof fieldValues | typeof milestones, column: SQLiteColumn): SQL {
  const { id, sortKey, nameFold } = aliasColumns<typeof fieldValues | typeof milestones>(table, 'o')
  return sql`(SELECT printf('%011d', ${sortKey} + 2147483648) || ${nameFold}
    FROM ${table} o WHERE ${id} = ${column})`
}

function textOf<Table extends SQLiteTable>(
  table: Table,
  column: SQLiteColumn,
  text: keyof Table['_']['columns'] & string,
): SQL {
  const target = aliasColumns(table, 'o')
  return sql`coalesce((SELECT ${target[text]} FROM ${table} o
    WHERE ${target.id} = ${column}), '')`
}
