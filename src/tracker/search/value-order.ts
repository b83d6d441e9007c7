import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import { aliasColumn, allOf, sql } from '../../platform/db/sql.ts'
import { LIST_COLUMNS } from '../fields/names.ts'
import type { Walk } from './candidate-lists.ts'
import { type FoundCondition, leadOf, type SearchCondition } from './condition.ts'

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

/** The columns behind which an index of `bugs` has the bugs in the order of their IDs. */
const INDEXED = new Set(
  [
    [bugs.statusId],
    [bugs.resolutionId],
    [bugs.priorityId],
    [bugs.severityId],
    [bugs.productId],
    [bugs.componentId],
    [bugs.versionId],
    [bugs.milestoneId],
    [bugs.productId, bugs.statusId],
  ].map(keyOf),
)

function keyOf(columns: readonly SQLiteColumn[]): string {
  return columns.map(({ name }) => name).join()
}

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
  const fixed = new Set(members.map(columnOfOne))
  return { by: by.filter(({ values }) => !fixed.has(values.column)), idsDescend }
}

/** A walk through the bugs of a condition, or through all, in such an order; undefined where no index serves it. */
export function walkValues(
  { by, idsDescend }: ValueOrder,
  leader?: FoundCondition,
): Omit<Walk, 'condition' | 'looks'> | undefined {
  const led = leader && columnOfOne(leader)
  // what belongs to a product tells which one it is
  const isOfProduct = by.some(({ values }) => values.product !== undefined)
  const columns = [
    ...(led === undefined || isOfProduct ? [] : [led]),
    ...by.map(({ values }) => values.column),
  ]
  if (
    (leader !== undefined && led === undefined) ||
    (isOfProduct && led !== bugs.productId) ||
    !INDEXED.has(keyOf(columns))
  ) {
    return undefined
  }
  const joined = by.map((column, n) => joinValues(column, `o${n}`))
  return {
    from: sql.join([...joined.map(({ table }) => table), sql`bugs`], sql` CROSS JOIN `),
    holdsBugs: true,
    id: sql`${bugs.id}`,
    at: sql`0`,
    lead: allOf([...(leader ? [leadOf(leader)] : []), ...joined.map(({ lead }) => lead)]),
    order: [...joined.flatMap(({ order }) => order), sql`${bugs.id} ${directionOf(idsDescend)}`],
  }
}

/** The column of which a condition asks for one value, behind which an index has the bugs by ID. */
function columnOfOne({ access }: SearchCondition): SQLiteColumn | undefined {
  return access?.kind === 'range' && access.isInOrder(bugs.id) ? access.column : undefined
}

function joinValues({ values, isDescending }: ValueColumn, alias: string) {
  const { column, id, field, product } = values
  const of = (each: SQLiteColumn) => aliasColumn(each, alias)
  return {
    table: sql.raw(`${values.table} ${alias}`),
    lead: allOf([
      sql`${column} = ${of(id)}`,
      ...(product ? [sql`${of(product)} = ${bugs.productId}`] : []),
      ...(field
        ? [
            sql`${of(fieldValues.fieldId)} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`,
          ]
        : []),
    ]),
    // their IDs tell SQLite that no two values are the same
    order: [...values.order, id].map((each) => sql`${of(each)} ${directionOf(isDescending)}`),
  }
}

function directionOf(descends: boolean): SQL {
  return sql.raw(descends ? 'DESC' : 'ASC')
}
