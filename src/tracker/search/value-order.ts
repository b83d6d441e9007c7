import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import { aliasColumn, allOf, columnName, limitTo, sql } from '../../platform/db/sql.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import type { Walk } from './candidate-lists.ts'
import { type FoundCondition, isFound, leadOf, type SearchCondition } from './condition.ts'

/**
 * An order by values, of which there are few, and by ID among the bugs of the same ones. Bugs refer to values by their IDs,
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
  /** The product that they belong to: those of several are in no order that an index has. */
  readonly product?: SQLiteColumn
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
])

function referenceTo(
  table: string,
  column: SQLiteColumn,
  { id, nameFold }: { readonly id: SQLiteColumn; readonly nameFold: SQLiteColumn },
): Values {
  return { column, table, id, order: [nameFold] }
}

function partOfProduct(
  table: string,
  column: SQLiteColumn,
  part: typeof components | typeof versions | typeof milestones,
): Values {
  return { ...referenceTo(table, column, part), product: part.productId }
}

/** The first columns of indexes of `bugs`: bugs that have the same values in all of them stand in the order of their IDs. */
const INDEXES: readonly (readonly SQLiteColumn[])[] = [
  [bugs.productId, bugs.statusId],
  [bugs.statusId],
  [bugs.resolutionId],
  [bugs.priorityId],
  [bugs.severityId],
  [bugs.productId],
  [bugs.componentId],
  [bugs.versionId],
  [bugs.milestoneId],
  [bugs.statusId, bugs.priorityId, bugs.severityId],
  [bugs.productId, bugs.statusId, bugs.priorityId, bugs.severityId],
]

/** The order by these columns, of which the ID is the last; undefined where it is not by such values alone. */
export function valueOrderOf(
  columns: readonly { readonly name: string; readonly isDescending: boolean }[],
): ValueOrder | undefined {
  const last = columns.at(-1)
  const by = columns.slice(0, -1).flatMap(({ name, isDescending }) => {
    const values = VALUES.get(name)
    return values === undefined ? [] : { values, isDescending }
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
 * A walk in such an order through bugs that meet some of the conditions; undefined where no index serves it. One that has
 * to merge lists serves only where it tests no bug, because it reads the first of every list.
 */
export function walkValues(
  order: ValueOrder,
  members: readonly SearchCondition[],
): ValueWalk | undefined {
  const uses = INDEXES.flatMap((index) => useOf(index, order, members) ?? [])
  const serving = uses.filter(
    ({ merged, met }) => merged.length === 0 || met.length === members.length,
  )
  const [best] = serving.toSorted(
    (a, b) => b.met.length - a.met.length || a.merged.length - b.merged.length,
  )
  return (
    best && { met: best.met, walk: best.merged.length === 0 ? walkOf(best) : mergedWalkOf(best) }
  )
}

/** How an index serves an order. */
type IndexUse = {
  readonly idsDescend: boolean
  readonly met: readonly SearchCondition[]
  /** The values that are walked, in the order of the page. */
  readonly walked: readonly JoinedValues[]
  /** The values of which the bugs are merged for each of these. */
  readonly merged: readonly MergedValues[]
  /** What holds for all bugs. */
  readonly led: readonly SQL[]
}

/** Undefined where the index lacks a column of the order, or has one whose values are not known to be few. */
function useOf(
  index: readonly SQLiteColumn[],
  { by, idsDescend }: ValueOrder,
  members: readonly SearchCondition[],
): IndexUse | undefined {
  const leaders = members.filter(isFound).filter(({ access }) => access.kind === 'range')
  const asking = (column: SQLiteColumn) => leaders.filter((each) => columnOf(each) === column)
  // what belongs to a product tells which one it is
  const ofProduct = by.some(({ values }) => values.product) ? [bugs.productId] : []
  const fixed = [...ofProduct, ...index].flatMap((column) => asking(column).find(asksForOne) ?? [])
  const walked = by.map((each, n) => joinValues(each, `o${n}`, asking(each.values.column)))
  const rest = index.filter(
    (column) =>
      !by.some(({ values }) => values.column === column) &&
      !fixed.some((each) => columnOf(each) === column),
  )
  const merged = rest.flatMap((column, n) => mergeValues(column, `t${n}`, asking(column)) ?? [])
  const isServed =
    by.every(({ values }) => index.includes(values.column)) &&
    merged.length === rest.length &&
    fixed.length >= ofProduct.length
  return isServed
    ? {
        ...{ idsDescend, walked, merged, led: fixed.map(leadOf) },
        met: [...new Set([...fixed, ...[...walked, ...merged].flatMap(({ asked }) => asked)])],
      }
    : undefined
}

/** The bugs one by one, by an index that has them in this order. */
function walkOf({ walked, led, idsDescend }: IndexUse): ValueWalk['walk'] {
  return {
    from: joinTables(walked, sql`bugs`),
    holdsBugs: true,
    id: sql`${bugs.id}`,
    at: sql`0`,
    lead: allOf([...led, ...walked.flatMap(({ isValue, isOfBug }) => [isValue, isOfBug])]),
    order: [...walked.flatMap(({ order }) => order), sql`${bugs.id} ${directionOf(idsDescend)}`],
  }
}

/** For each value the first bugs of several lists, in the order of all of them. */
function mergedWalkOf({ walked, merged, led, idsDescend }: IndexUse): ValueWalk['walk'] {
  const direction = directionOf(idsDescend)
  return {
    fromFirst: (firstOf, most) => {
      const first = firstOf({
        condition: allOf([...led, ...[...walked, ...merged].map(({ isOfBug }) => isOfBug)]),
        order: [sql`${bugs.id} ${direction}`],
      })
      const listed = sql`json_each((SELECT json_group_array(id) FROM (${first}))) x`
      return joinTables(
        walked,
        sql`json_each((SELECT json_group_array(bug) FROM (SELECT x.value AS bug FROM ${joinTables(merged, listed)}
          ORDER BY x.value ${direction} ${limitTo(most)}))) m`,
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

type JoinedValues = ReturnType<typeof joinValues>
type MergedValues = Pick<JoinedValues, 'table' | 'isOfBug' | 'asked'>

/** The values of a column that conditions leave, found once; undefined where they may be many. */
function mergeValues(
  column: SQLiteColumn,
  alias: string,
  asked: readonly FoundCondition[],
): MergedValues | undefined {
  const values = [...VALUES.values()].find((each) => each.column === column)
  if (values === undefined || (values.field === undefined && asked.length === 0)) {
    return undefined
  }
  const { table, isValue } = joinValues({ values, isDescending: false }, 'v', asked)
  const ids = sql`SELECT json_group_array(id) FROM (SELECT v.id FROM ${table} WHERE ${isValue})`
  return {
    asked,
    table: sql`json_each((${ids})) ${sql.raw(alias)}`,
    isOfBug: sql`${column} = ${sql.raw(alias)}.value`,
  }
}

/** Values, of which only those are joined that conditions on their column leave. */
function joinValues(
  { values, isDescending }: ValueColumn,
  alias: string,
  asked: readonly FoundCondition[],
) {
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

function directionOf(descends: boolean): SQL {
  return sql.raw(descends ? 'DESC' : 'ASC')
}
