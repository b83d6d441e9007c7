import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { enterableProductCondition, selectableProductCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { SELECT_TYPES } from '../db/schema/fields.ts'
import { products } from '../db/schema/products.ts'
import { anyOf, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { parseId } from '../lib/id-or-name.ts'
import { sortInNaturalOrder } from '../lib/natural-order.ts'
import { valueReadings } from './get-load.ts'
import { internalName } from './names.ts'
import { offered } from './present.ts'

export const legalValuesInput = z.object({ field: z.string() })
export const legalValuesOfProductInput = legalValuesInput.extend({ product_id: z.string() })
export const legalValuesOutput = z.strictObject({ values: z.array(z.string()) })

/** The fields whose values belong to a product, with the tables that hold them. */
const PARTS: ReadonlyMap<string, string> = new Map([
  ['version', 'versions'],
  ['component', 'components'],
  ['target_milestone', 'milestones'],
])

/** Select fields whose values are things of their own, with operations of their own. */
const NO_LISTS = ['product', 'classification']

/**
 * GET /field/bug/{field}/values and GET /field/bug/{field}/{product_id}/values: the active values of a
 * select field, or all versions, components or milestones of a product, in their normal order. Contract
 * "Bug fields". Faults 106 without a product that the caller may use where one is needed, 108 for a field
 * without such a list.
 */
export async function legalValues(ctx: Ctx, input: { field: string; product_id?: string }) {
  const name = internalName(input.field)
  const table = PARTS.get(name)
  return table === undefined
    ? valuesOf(ctx, name, input.field)
    : partsOf(ctx, table, input.product_id)
}

async function valuesOf(ctx: Ctx, name: string, given: string) {
  const { fields, values, controllers } = await readBatch(ctx, valueReadings(ctx.caller, name))
  const [field] = fields
  if (field === undefined || !SELECT_TYPES.includes(field.type) || NO_LISTS.includes(name)) {
    throw fault('fieldNotSelect', { field: given })
  }
  const active = offered(values, controllers).filter((value) => value.isActive)
  return { values: active.map((value) => value.name) }
}

async function partsOf(ctx: Ctx, table: string, productId: string | undefined) {
  if (productId === undefined) {
    throw fault('productMissing')
  }
  const id = parseId(productId)
  if (id === null) {
    throw fault('productDenied', { product: productId })
  }
  const isOpen = anyOf([
    selectableProductCondition(ctx.caller),
    enterableProductCondition(ctx.caller),
  ])
  const { found, parts } = await readBatch(ctx, {
    found: db
      .select({ id: products.id })
      .from(products)
      .where(sql`products.id = ${id} AND ${isOpen}`),
    parts: readParts(table, sql`part.product_id = ${id}`),
  })
  if (found.length === 0) {
    throw fault('productDenied', { product: productId })
  }
  const ordered = table === 'versions' ? sortInNaturalOrder(parts) : parts
  return { values: ordered.map(({ name }) => name) }
}

function readParts(table: string, where: SQL) {
  return db
    .select({ name: sql<string>`part.name`.as('part_name') })
    .from(sql`${sql.raw(table)} part`)
    .where(where)
    .orderBy(sql`part.sort_key, part.name_fold`)
}
