import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { productDenied } from '../../platform/access/faults.ts'
import { accessibleProductCondition } from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { SELECT_TYPES } from '../../platform/db/schema/fields.ts'
import { components, milestones, products, versions } from '../../platform/db/schema/products.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
import { parseId } from '../../platform/lib/id-or-name.ts'
import { sortInNaturalOrder } from '../../platform/lib/natural-order.ts'
import { EMPTY_CHOICE, hasEmptyChoice } from './empty-choice.ts'
import { fieldNotSelect, productMissing } from './faults.ts'
import { selectValuesOfField } from './get-load.ts'
import { toInternalName } from './names.ts'
import { filterOfferedValues } from './present.ts'

const legalValuesInput = z.object({ field: z.string() })

type PartTable = typeof versions | typeof components | typeof milestones

/** Fields whose values belong to products, with the tables that store them. */
const PART_TABLES: ReadonlyMap<string, PartTable> = new Map<string, PartTable>([
  ['version', versions],
  ['component', components],
  ['target_milestone', milestones],
])

/** Select fields whose values are objects with their own operations. */
const FIELDS_WITHOUT_LEGAL_VALUES = ['product', 'classification']

/** Whether the values of a field, by its internal name, are products, their parts, or what products are sorted into. */
export function hasValuesOfProducts(name: string): boolean {
  return PART_TABLES.has(name) || FIELDS_WITHOUT_LEGAL_VALUES.includes(name)
}

/**
 * The active values of a select field, or all versions, components or milestones of a product, in their
 * normal order.
 */
export const listLegalValues = operation(
  {
    method: 'GET',
    path: '/field/bug/:field/values',
    isDeprecated: true,
    summary: 'List the names of the values that a select field may have',
    reference: 'fields.md#list-legal-values',
    input: legalValuesInput,
    output: z.strictObject({ values: z.array(z.string()) }),
    faults: [fieldNotSelect, productMissing],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input: { field: string; product_id?: string }) => {
    const name = toInternalName(input.field)
    const table = PART_TABLES.get(name)
    return table === undefined
      ? listFieldValues(ctx, name, input.field)
      : listPartNames(ctx, table, input.product_id)
  },
)

export const listLegalValuesOfProduct = alsoAt(listLegalValues, {
  path: '/field/bug/:field/:product_id/values',
  summary: 'List the names of the versions, components or milestones of a product',
  input: legalValuesInput.extend({ product_id: z.string() }),
  faults: [fieldNotSelect, productDenied],
})

async function listFieldValues(ctx: Ctx, name: string, parameter: string) {
  const { fields, values, controllers } = await readBatch(
    ctx,
    selectValuesOfField(ctx.caller, name),
  )
  const [field] = fields
  if (
    field === undefined ||
    !SELECT_TYPES.includes(field.type) ||
    FIELDS_WITHOUT_LEGAL_VALUES.includes(name)
  ) {
    throw fault(fieldNotSelect, { field: parameter })
  }
  const activeValues = filterOfferedValues(values, controllers).filter((value) => value.isActive)
  const names = activeValues.map((value) => value.name)
  return { values: hasEmptyChoice(field) ? [EMPTY_CHOICE, ...names] : names }
}

async function listPartNames(ctx: Ctx, table: PartTable, productId: string | undefined) {
  if (productId === undefined) {
    throw fault(productMissing)
  }
  const id = parseId(productId)
  if (id === null) {
    throw fault(productDenied, { product: productId })
  }
  const { matches, parts } = await readBatch(ctx, {
    matches: db
      .select({ id: products.id })
      .from(products)
      .where(sql`${products.id} = ${id} AND ${accessibleProductCondition(ctx.caller)}`),
    parts: selectParts(table, sql`${table.productId} = ${id}`),
  })
  if (matches.length === 0) {
    throw fault(productDenied, { product: productId })
  }
  const sorted = table === versions ? sortInNaturalOrder(parts) : parts
  return { values: sorted.map(({ name }) => name) }
}

function selectParts(table: PartTable, condition: SQL) {
  return db
    .select({ name: sql<string>`${table.name}`.as('part_name') })
    .from(sql`${table}`)
    .where(condition)
    .orderBy(sql`${table.sortKey}, ${table.nameFold}`)
}
