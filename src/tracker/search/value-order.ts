import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { REACH_LIMIT } from '../../platform/db/read-limit.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumn, allOf, columnName, directionOf, limitTo, sql } from '../../platform/db/sql.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import type { Walk } from './candidate-lists.ts'
import { type FoundCondition, isFound, leadOf, type SearchCondition } from './condition.ts'
import type { CompileContext } from './context.ts'

/**
 * An order by values, of which there are few, and by ID among the bugs of the same ones. Bugs refer to values by their
 * IDs,
 * so that a rename moves no bug; therefore the values are walked in their order, and the bugs of each by an index.
 */
export type ValueOrder = {
  readonly by: readonly ValueColumn[]
  readonly idsDescend: boolean
}

type ValueColumn = { readonly values: Values; readonly isDescending: boolean }

/** The values that a column of `bugs` refers to. */
type Values = {
  readonly column: SQLiteColumn
  readonly table: string
  readonly id: SQLiteColumn
  /** By which the values stand in their order; an index of their table has them so. */
  readonly order: readonly SQLiteColumn[]
  /** The select field whose values they are among those of others. */
  readonly field?: string
  /** The product that they belong to: several have values of one name. */
  readonly product?: SQLiteColumn | undefined
  /** Many may be of no bug. */
  readonly areMany?: boolean
}

/** By name of the field. */
const VALUES: ReadonlyMap<string, Values> = new Map<string, Values>([
  ...Object.entries(LIST_COLUMNS).map(([field, column]): [string, Values] => {
    const { id, sortKey, nameFold } = fieldValues
    return [field, { column, table: 'field_values', id, order: [sortKey, nameFold], field }]
  }),
  ['product', referenceTo('products', bugs.productId, products)],
  ['component', partOfProduct('components', bugs.componentId, components)],
  ['version', partOfProduct('versions', bugs.versionId, versions)],
  [
    'target_milestone',
    {
      ...partOfProduct('milestones', bugs.milestoneId, milestones),
      order: [milestones.sortKey, milestones.nameFold],
    },
  ],
  ['assigned_to', personIn(bugs.assignedToId)],
  ['reporter', personIn(bugs.reporterId)],
])

/** Names that are walked one by one. */
const MAX_NAMES = 10_000

function referenceTo(
  table: string,
  column: SQLiteColumn,
  { id, nameFold }: { readonly id: SQLiteColumn; readonly nameFold: SQLiteColumn },
): Values {
  return { column, table, id, order: [nameFold] }
}

function personIn(column: SQLiteColumn): Values {
  return { column, table: 'users', id: users.id, order: [users.loginFold], areMany: true }
}

function partOfProduct(
  table: string,
  column: SQLiteColumn,
  part: typeof components | typeof versions | typeof milestones,
): Values {
  return { ...referenceTo(table, column, part), product: part.productId }
}

/**
 * The first columns of indexes of `bugs`: bugs that have the same values in all of them stand in the order of their
 * IDs.
 */
export const VALUE_INDEXES: ReadonlyMap<string, readonly SQLiteColumn[]> = new Map([
  ['bugs_product', [bugs.productId, bugs.statusId]],
  ['bugs_component', [bugs.componentId, bugs.statusId]],
  ['bugs_assigned_to', [bugs.assignedToId, bugs.statusId]],
  ['bugs_assigned_to_newest', [bugs.assignedToId]],
  ['bugs_reporter', [bugs.reporterId]],
  ['bugs_status', [bugs.statusId]],
  ['bugs_resolution', [bugs.resolutionId]],
  ['bugs_priority', [bugs.priorityId]],
  ['bugs_severity', [bugs.severityId]],
  ['bugs_product_newest', [bugs.productId]],
  ['bugs_component_newest', [bugs.componentId]],
  ['bugs_version', [bugs.versionId]],
  ['bugs_milestone', [bugs.milestoneId]],
  ['bugs_status_importance', [bugs.statusId, bugs.priorityId, bugs.severityId]],
  ['bugs_product_importance', [bugs.productId, bugs.statusId, bugs.priorityId, bugs.severityId]],
])

/** The order by these columns, of which the ID is the last; undefined where it is not by such values alone. */
export function valueOrderOf(
  columns: readonly { readonly name: string; readonly isDescending: boolean }[],
  { hidesDomains }: Pick<CompileContext, 'hidesDomains'>,
): ValueOrder | undefined {
  const last = columns.at(-1)
  const by = columns.slice(0, -1).flatMap(({ name, isDescending }) => {
    const values = VALUES.get(name)
    // the place of a person without a domain is no index's
    const isKnown = values !== undefined && !(values.table === 'users' && hidesDomains)
    return isKnown ? { values, isDescending } : []
  })
  return last?.name === 'bug_id' && by.length === columns.length - 1 && by.length > 0
    ? { by, idsDescend: last.isDescending }
    : undefined
}

/** The order among bugs that meet these conditions, some of which leave one value of a column. */
export function orderAmong(
  { by, idsDescend }: ValueOrder,
  members: readonly SearchCondition[],
): ValueOrder {
  const fixed = new Set(members.filter(asksForOne).map(columnOf))
  return { by: by.filter(({ values }) => !fixed.has(values.column)), idsDescend }
}

/** A walk in such an order, and the conditions that all of its bugs meet. */
type ValueWalk = {
  readonly walk: Omit<Walk, 'condition' | 'looks'>
  readonly met: readonly SearchCondition[]
}

/**
 * A walk in such an order through bugs that meet some of the conditions; undefined where no index serves it. One that
 * has
 * to merge many lists serves only where it tests no bug, because it reads the first of every list.
 */
export function walkValues(
  order: ValueOrder,
  members: readonly SearchCondition[],
): ValueWalk | undefined {
  const uses = [...VALUE_INDEXES].flatMap(
    ([name, index]) => useOf(name, index, order, members) ?? [],
  )
  const serving = uses.filter(({ areFew, met }) => areFew || met.length === members.length)
  const [best] = serving.toSorted(
    (a, b) => b.met.length - a.met.length || a.merged.length - b.merged.length,
  )
  return (
    best && { met: best.met, walk: best.merged.length === 0 ? walkOf(best) : mergedWalkOf(best) }
  )
}

/** How an index serves an order. */
type IndexUse = {
  /** The bugs by this index: SQLite would not know that they are many. */
  readonly from: SQL
  readonly idsDescend: boolean
  readonly met: readonly SearchCondition[]
  /** The values or names that are walked, in the order of the page. */
  readonly walked: readonly JoinedValues[]
  /** The values of which the bugs are merged for each of these; and whether conditions leave few of them. */
  readonly merged: readonly JoinedValues[]
  readonly areFew: boolean
  /** What holds for all bugs. */
  readonly led: readonly SQL[]
}

/** Undefined where the index lacks a column of the order, or has one whose values are not known to be few. */
function useOf(
  name: string,
  index: readonly SQLiteColumn[],
  { by, idsDescend }: ValueOrder,
  members: readonly SearchCondition[],
): IndexUse | undefined {
  const leaders = members.filter(isFound).filter(({ access }) => access.kind === 'range')
  const asking = (column: SQLiteColumn) => leaders.filter((each) => columnOf(each) === column)
  // what belongs to a product tells which one it is
  const products = by.some(({ values }) => values.product) ? [bugs.productId] : []
  const fixed = [...products, ...index].flatMap((column) => asking(column).find(asksForOne) ?? [])
  const rest = index.filter(
    (column) =>
      !by.some(({ values }) => values.column === column) &&
      !fixed.some((each) => columnOf(each) === column),
  )
  const lists = rest.flatMap((column, n) => mergeValues(column, `t${n}`, asking(column)) ?? [])
  const [only] = by
  const isByName = by.some(({ values }) => values.areMany) || fixed.length < products.length
  if (
    only === undefined ||
    (isByName && by.length > 1) ||
    by.some(({ values }) => !index.includes(values.column)) ||
    lists.length < rest.length
  ) {
    return undefined
  }
  const walked = isByName
    ? [joinNames(only, 'o0')]
    : by.map((each, n) => joinValues(each, `o${n}`, asking(each.values.column)))
  const merged = isByName ? [valuesOfName(only, asking(only.values.column)), ...lists] : lists
  return {
    idsDescend,
    walked,
    merged,
    led: fixed.map(leadOf),
    from: sql.raw(`bugs INDEXED BY ${name}`),
    areFew: lists.every(({ asked }) => asked.length > 0) && !(isByName && only.values.product),
    met: [...new Set([...fixed, ...[...walked, ...merged].flatMap(({ asked }) => asked)])],
  }
}

/** The bugs one by one, by an index that has them in this order. */
function walkOf({ from, walked, led, idsDescend }: IndexUse): ValueWalk['walk'] {
  return {
    from: joinTables(walked, from),
    holdsBugs: true,
    id: sql`${bugs.id}`,
    at: sql`0`,
    lead: allOf([...led, ...walked.flatMap(({ isValue, isOfBug }) => [isValue, isOfBug])]),
    order: [...walked.flatMap(({ order }) => order), sql`${bugs.id} ${directionOf(idsDescend)}`],
  }
}

/** For each value the first bugs of several lists, in the order of all of them. */
function mergedWalkOf({ from, walked, merged, led, idsDescend }: IndexUse): ValueWalk['walk'] {
  const direction = directionOf(idsDescend)
  return {
    fromFirst: (firstOf, most) => {
      const first = firstOf({
        from,
        condition: allOf([...led, ...[...walked, ...merged].map(({ isOfBug }) => isOfBug)]),
        order: [sql`${bugs.id} ${direction}`],
      })
      const listed = sql`json_each((SELECT json_group_array(id) FROM (${first}))) x`
      return joinTables(
        walked,
        sql`json_each((SELECT json_group_array(bug) FROM (SELECT x.value AS bug FROM ${joinTables(merged, listed)}
          WHERE ${allOf(merged.map(({ isValue }) => isValue))} ORDER BY x.value ${direction} ${limitTo(most)}))) m`,
      )
    },
    id: sql`m.value`,
    at: sql`0`,
    lead: allOf(walked.map(({ isValue }) => isValue)),
    order: walked.flatMap(({ order }) => order),
  }
}

function joinTables(joined: readonly { readonly table: SQL }[], last: SQL): SQL {
  return sql.join([...joined.map(({ table }) => table), last], sql` CROSS JOIN `)
}

function columnOf({ access }: SearchCondition): SQLiteColumn | undefined {
  return access?.kind === 'range' ? access.column : undefined
}

/** Whether it leaves one value of its column, behind which an index has the bugs in the order of their IDs. */
function asksForOne({ access }: SearchCondition): boolean {
  return access?.kind === 'range' && access.isInOrder(bugs.id)
}

/** A table of values in a statement. */
type JoinedValues = {
  /** The conditions that none but these values meet. */
  readonly asked: readonly FoundCondition[]
  readonly table: SQL
  readonly isValue: SQL
  readonly isOfBug: SQL
  readonly order: readonly SQL[]
}

/** The values of a column that conditions leave, found once; undefined where they may be many. */
function mergeValues(
  column: SQLiteColumn,
  alias: string,
  asked: readonly FoundCondition[],
): JoinedValues | undefined {
  const values = [...VALUES.values()].find((each) => each.column === column)
  if (values === undefined || (values.field === undefined && asked.length === 0)) {
    return undefined
  }
  const { table, isValue } = joinValues({ values, isDescending: false }, 'v', asked)
  const ids = sql`SELECT json_group_array(id) FROM (SELECT v.id FROM ${table} WHERE ${isValue})`
  return {
    asked,
    order: [],
    isValue: sql`1`,
    table: sql`json_each((${ids})) ${sql.raw(alias)}`,
    isOfBug: sql`${column} = ${sql.raw(alias)}.value`,
  }
}

/** The names of values, each once, without a sort; a statement that needs too many of them fails. */
function joinNames({ values, isDescending }: ValueColumn, alias: string): JoinedValues {
  const { table, order } = values
  const names = sql.join(order.map(columnName), sql`, `)
  const inOrder = order.map((each) => sql`${columnName(each)} ${directionOf(isDescending)}`)
  return {
    asked: [],
    isOfBug: sql`1`,
    order: [],
    table: sql`(SELECT *, row_number() OVER () AS n FROM (SELECT ${names} FROM ${sql.raw(table)} GROUP BY ${names}
      ORDER BY ${sql.join(inOrder, sql`, `)} ${limitTo(MAX_NAMES + 1)})) ${sql.raw(alias)}`,
    isValue: sql`CASE WHEN ${sql.raw(alias)}.n > ${MAX_NAMES} THEN ${REACH_LIMIT} ELSE 1 END`,
  }
}

/** The values of the name that is walked to. */
function valuesOfName({ values }: ValueColumn, asked: readonly FoundCondition[]): JoinedValues {
  const joined = joinValues(
    { values: { ...values, product: undefined }, isDescending: false },
    'v',
    asked,
  )
  const isOfName = values.order.map(
    (each) => sql`${aliasColumn(each, 'v')} = ${aliasColumn(each, 'o0')}`,
  )
  return { ...joined, isValue: allOf([...isOfName, joined.isValue]) }
}

/** Values, of which only those are joined that conditions on their column leave. */
function joinValues(
  { values, isDescending }: ValueColumn,
  alias: string,
  asked: readonly FoundCondition[],
): JoinedValues {
  const { column, field, product } = values
  const of = (each: SQLiteColumn) => aliasColumn(each, alias)
  const id = of(values.id)
  return {
    asked,
    table: sql.raw(`${values.table} ${alias}`),
    isValue: allOf([
      ...(field ? [isOfField(field, of(fieldValues.fieldId))] : []),
      ...asked.map((member) => meets(member, id)),
    ]),
    isOfBug: allOf([
      sql`${column} = ${id}`,
      ...(product ? [sql`${of(product)} = ${bugs.productId}`] : []),
    ]),
    // their IDs tell SQLite that no two values are the same
    order: [...values.order.map(of), id].map((each) => sql`${each} ${directionOf(isDescending)}`),
  }
}

function isOfField(field: string, fieldId: SQL): SQL {
  return sql`${fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`
}

/** Whether a bug with this value of its column meets a condition. */
function meets({ access }: FoundCondition, value: SQL): SQL {
  return access.kind === 'range'
    ? sql`(SELECT ${access.condition} FROM (SELECT ${value} AS ${columnName(access.column)}) bugs)`
    : sql`1`
}
