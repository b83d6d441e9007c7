import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { compile } from '../../platform/db/compile.ts'
import { bugs, customValues } from '../../platform/db/schema/bugs.ts'
import { FIELD_TYPE, fieldValues } from '../../platform/db/schema/fields.ts'
import { milestones } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { visits } from '../../platform/db/schema/visits.ts'
import { aliasColumns, directionOf, sql } from '../../platform/db/sql.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import { shapeOf } from './compile/compile.ts'
import { LAST_CHANGE } from './compile/content/content.ts'
import { comparedPart } from './compile/operand.ts'
import type { RowValues } from './compile/row-values.ts'
import { indexedColumn } from './compile/single-value.ts'
import { loginOperand, type ValueSource } from './compile/value-source.ts'
import type { OrderIndex } from './condition.ts'
import type { CompileContext } from './context.ts'
import { findSearchField } from './search-fields.ts'
import { type ValueOrder, valueOrderOf } from './value-order.ts'

/** How a search is ordered. */
export type SearchOrder = {
  readonly by: readonly SQL[]
  /** The column whose index gives that order, if one does. */
  readonly orderIndex: OrderIndex | null
  /** What was given and is no column for the caller. */
  readonly unknown: readonly string[]
  /** It is by ID alone. */
  readonly isById: boolean
  /** The bugs that match best come first. */
  readonly isByRelevance: boolean
  readonly isDescending: boolean
  /** How to walk in this order; absent where that index does not decide it. */
  readonly walk?: WalkOrder
  /** The same order as one by values, if it is one. */
  readonly values?: ValueOrder
  /** The looks at other tables that it takes for a bug. */
  readonly looks: number
  /** The columns that look at other tables. */
  readonly lookedUp: readonly string[]
  /** The same order in a form that keeps SQLite from choosing an index for it. */
  readonly sorted: readonly SQL[]
}

/** The order of a column that an index holds; bugs of one moment stand in the order of their IDs. */
export type WalkOrder = {
  readonly by: OrderIndex
  readonly isDescending: boolean
  readonly idsDescend: boolean
}

/** A look for a name or a number takes a fraction of one at comments. */
const LOOKS_OF_SELECT = 0.1

/** Columns beyond these are dropped: a database takes no statement of any length. */
const MAX_COLUMNS = 20

const SHORTCUTS: ReadonlyMap<string, string> = new Map([
  ['bug number', 'bug_id'],
  ['importance', 'priority,bug_severity'],
  ['assignee', 'assigned_to,bug_status,priority,bug_id'],
  ['last updated', 'delta_ts DESC'],
])

const ORDER_INDEXES: ReadonlyMap<string, OrderIndex> = new Map<string, OrderIndex>([
  ['bug_id', bugs.id],
  ['creation_ts', bugs.createdAt],
  ['delta_ts', bugs.changedAt],
])

/**
 * Parses `order`: columns separated by commas, each perhaps with ASC or DESC; one of the shortcuts;
 * or `bug_list`, the sequence in which the numbers are given. Unknown columns, and those that the
 * caller may not see, are dropped; the bug ID is always the last, so that pages do not overlap.
 */
export function parseOrder(given: readonly string[], context: OrderContext): SearchOrder {
  const columns = new Map<string, OrderedColumn>()
  const unknown: string[] = []
  for (const each of given.flatMap(expandShortcut)) {
    const column = parseColumn(each, context)
    if (column === undefined && !/^\s*(?:relevance(?:\s+(?:asc|desc))?\s*)?$/i.test(each)) {
      unknown.push(each.trim())
    }
    if (column !== undefined && !columns.has(column.name) && columns.size < MAX_COLUMNS) {
      columns.set(column.name, column)
    }
  }
  if (!columns.has('bug_id')) {
    columns.set('bug_id', orderedById(false))
  }
  const all = [...columns.values()]
  const [first = ''] = columns.keys()
  const values = valueOrderOf(all, context)
  const order = orderBy(all, ORDER_INDEXES.get(first) ?? null)
  return { ...order, unknown, ...(values && { values }) }
}

/** The order of a walk as that of a search. */
export function orderOf({ by, isDescending, idsDescend }: WalkOrder): SearchOrder {
  const columns =
    by === bugs.id
      ? [orderedById(isDescending)]
      : [{ name: by.name, value: sql`${by}`, isDescending }, orderedById(idsDescend)]
  return orderBy(columns, by)
}

function orderedById(isDescending: boolean): OrderedColumn {
  return { name: 'bug_id', value: sql`${bugs.id}`, isDescending }
}

function orderBy(columns: readonly OrderedColumn[], by: OrderIndex | null): SearchOrder {
  const [isDescending = false, idsDescend = isDescending] = columns.map(
    (column) => column.isDescending,
  )
  const isById = by === bugs.id
  const isWalkable = by !== null && columns.slice(0, 2).some(({ name }) => name === 'bug_id')
  const selects = columns.map(({ value }) => countSelects(value))
  const ordered = (sign: string) =>
    columns.map((one) => sql`${sql.raw(sign)}${one.value} ${directionOf(one.isDescending)}`)
  return {
    unknown: [],
    isById,
    isByRelevance: columns[0]?.name === 'relevance' && isDescending,
    isDescending,
    ...(isWalkable && {
      walk: { by, isDescending, idsDescend: isById ? isDescending : idsDescend },
    }),
    looks: LOOKS_OF_SELECT * selects.reduce((sum, count) => sum + count, 0),
    lookedUp: columns.filter((_, n) => selects[n] !== 0).map(({ name }) => name),
    by: ordered(''),
    sorted: ordered('+'),
    orderIndex: by,
  }
}

/** Selects of other tables, also those within another one. */
function countSelects(value: SQL): number {
  return compile(value).sql.split('SELECT ').length - 1
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

const COLUMN = /^(\S*)(?:\s+(asc|desc))?$/

/** The best matches come first unless the others are asked for. */
function parseColumn(given: string, context: OrderContext): OrderedColumn | undefined {
  const [, name = '', direction = ''] = COLUMN.exec(given.trim().toLowerCase()) ?? []
  const column = findOrderColumn(name, context)
  const isDescending = direction === 'desc' || (name === 'relevance' && direction !== 'asc')
  return column && { ...column, isDescending }
}

const u = aliasColumns(users, 'u')
const w = aliasColumns(visits, 'w')
const cv = aliasColumns(customValues, 'cv')
const o = aliasColumns(fieldValues, 'o')

/** Who searches, what for, and what only this search can be ordered by. */
type OrderContext = CompileContext & {
  /** The bug numbers that the search was given. */
  readonly ids: readonly string[]
  /**
   * How well a bug matches the words of the search, the higher the better; absent in searches without
   * words.
   */
  readonly relevance?: SQL | typeof LAST_CHANGE
}

/** What bugs may be ordered by, under its internal name. */
type OrderColumn = { readonly name: string; readonly value: SQL }

type OrderedColumn = OrderColumn & { readonly isDescending: boolean }

/** What is no field, or is ordered by something else than the value that conditions compare. */
const COLUMNS: ReadonlyMap<string, (context: OrderContext) => SQL | undefined> = new Map([
  ...Object.entries(LIST_COLUMNS).map(
    ([name, column]) => [name, () => placeOf(fieldValues, column)] as const,
  ),
  ['target_milestone', () => placeOf(milestones, bugs.milestoneId)],
  ['last_visit_ts', lastVisit],
  ['assigned_to_realname', () => realNameOf(bugs.assignedToId)],
  ['reporter_realname', () => realNameOf(bugs.reporterId)],
  ['qa_contact_realname', () => realNameOf(bugs.qaContactId)],
  ['bug_list', ({ ids }) => sequenceOf(ids)],
  ['relevance', ({ relevance }) => (relevance === LAST_CHANGE ? undefined : relevance)],
])

/** Fields with several values that are ordered by the text of all of them. */
const JOINED: ReadonlySet<string> = new Set(['keywords', 'flagtypes.name'])

const OLD_NAMES: ReadonlyMap<string, string> = new Map([
  ['map_assigned_to.login_name', 'assigned_to'],
  ['map_products.name', 'product'],
])

/**
 * The column of this public, internal or old name in lower case, perhaps behind `bugs.`; undefined where there
 * is none for the caller.
 */
function findOrderColumn(given: string, context: OrderContext): OrderColumn | undefined {
  const { configuration, caller, relevance } = context
  const plain = given.replace(/^bugs\./, '')
  const isLastChange = plain === 'relevance' && relevance === LAST_CHANGE
  const known = isLastChange ? 'delta_ts' : (OLD_NAMES.get(plain) ?? plain)
  const field = findSearchField(known, configuration, caller)
  const name = field?.name ?? known
  const value = COLUMNS.get(name)?.(context) ?? (field && valueOfField(name, context))
  return value && { name, value }
}

function valueOfField(name: string, context: OrderContext): SQL | undefined {
  const custom = context.configuration.customFields.get(name)
  if (custom?.type === FIELD_TYPE.single) {
    return placeOfChoice(custom.id)
  }
  const shape = shapeOf(name, context)
  if (shape?.shape === 'single') {
    return valueOfSource(shape.source(indexedColumn), context)
  }
  const isJoined = custom?.type === FIELD_TYPE.multi || JOINED.has(name)
  return shape?.shape === 'rows' && isJoined ? joinRows(shape) : undefined
}

function valueOfSource(source: ValueSource, context: OrderContext): SQL {
  switch (source.kind) {
    case 'own':
      return source.within?.(comparedPart(source.operand)) ?? comparedPart(source.operand)
    case 'named': {
      const { operand, from, id, reference, where } = source
      return sql`(SELECT ${comparedPart(operand)} FROM ${from} WHERE ${id} = ${reference}
        AND ${where ?? sql`1`})`
    }
    case 'person':
      return sql`coalesce((SELECT ${comparedPart(loginOperand('substring', context))} FROM users u
        WHERE ${u.id} = ${source.person}), '')`
  }
}

/** The texts of all rows that the caller may see, in alphabetical order. */
function joinRows({ from, bugId, visible, source }: RowValues): SQL | undefined {
  if (source.kind !== 'named') {
    return undefined
  }
  const text = comparedPart(source.operand)
  return sql`coalesce((SELECT group_concat(${text}, ', ' ORDER BY ${text}) FROM ${from}, ${source.from}
    WHERE ${bugId} = ${bugs.id} AND (${source.id}) = ${source.reference} AND ${visible ?? sql`1`}), '')`
}

/** Select values and milestones stand in the order that was configured, those of one place by name. */
function placeOf(table: typeof fieldValues | typeof milestones, column: SQLiteColumn): SQL {
  const value = aliasColumns<typeof fieldValues | typeof milestones>(table, 'o')
  return sql`(SELECT ${placeText(value.sortKey, value.nameFold)} FROM ${table} o
    WHERE ${value.id} = ${column})`
}

function placeOfChoice(field: number): SQL {
  return sql`coalesce((SELECT ${placeText(o.sortKey, o.nameFold)} FROM custom_values cv
    JOIN field_values o ON ${o.id} = ${cv.valueId}
    WHERE ${cv.bugId} = ${bugs.id} AND ${cv.fieldId} = ${field} AND ${cv.valueId} IS NOT NULL), '')`
}

/** Digits that sort like the number, whose sign and length differ, ahead of the name. */
function placeText(sortKey: SQL, nameFold: SQL): SQL {
  return sql`printf('%011d', ${sortKey} + 2147483648) || ${nameFold}`
}

function realNameOf(person: SQLiteColumn): SQL {
  return sql`coalesce((SELECT ${u.realNameFold} FROM users u WHERE ${u.id} = ${person}), '')`
}

function lastVisit({ caller }: OrderContext): SQL | undefined {
  return caller.kind === 'person'
    ? sql`coalesce((SELECT ${w.visitedAt} FROM visits w
        WHERE ${w.userId} = ${caller.id} AND ${w.bugId} = ${bugs.id}), 0)`
    : undefined
}

/** The place of each bug among the numbers; undefined unless all that was given is numbers. */
function sequenceOf(ids: readonly string[]): SQL | undefined {
  const numbers = ids.flatMap((value) => value.split(',')).map((value) => value.trim())
  return numbers.length > 0 && numbers.every((number) => /^\d{1,15}$/.test(number))
    ? sql`instr(${`,${numbers.map(Number).join(',')},`}, ',' || ${bugs.id} || ',')`
    : undefined
}
