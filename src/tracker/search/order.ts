import type { SQL } from 'drizzle-orm'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { sql } from '../../platform/db/sql.ts'
import { findOrderColumn, type OrderColumn, type OrderContext } from './order-columns.ts'
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

type Direction = 'ASC' | 'DESC'

/** Columns beyond these are dropped: a database takes no statement of any length. */
const MAX_COLUMNS = 20

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
  const columns = new Map<string, { value: SQL; direction: Direction }>()
  for (const each of given.flatMap(expandShortcut)) {
    const { column, direction } = parseColumn(each, context)
    if (column !== undefined && !columns.has(column.name) && columns.size < MAX_COLUMNS) {
      columns.set(column.name, { value: column.value, direction })
    }
  }
  if (!columns.has('bug_id')) {
    columns.set('bug_id', { value: sql`${bugs.id}`, direction: 'ASC' })
  }
  const all = [...columns.values()]
  const [first = ''] = columns.keys()
  const ordered = (sign: string) =>
    all.map(({ value, direction }) => sql`${sql.raw(sign)}${value} ${sql.raw(direction)}`)
  return {
    isById: first === 'bug_id',
    isDescending: all[0]?.direction === 'DESC',
    by: ordered(''),
    sorted: ordered('+'),
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

/** The best matches come first unless the others are asked for. */
function parseColumn(
  given: string,
  context: OrderContext,
): { column: OrderColumn | undefined; direction: Direction } {
  const [name = '', direction = ''] = given.trim().toLowerCase().split(/\s+/)
  const column = findOrderColumn(name, context)
  const isDescending = direction === 'desc' || (column?.name === 'relevance' && direction !== 'asc')
  return { column, direction: isDescending ? 'DESC' : 'ASC' }
}
