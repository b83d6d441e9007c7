import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../access/caller.ts'
import { enterableProductCondition, selectableProductCondition } from '../access/visibility.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { products } from '../db/schema/products.ts'
import { anyOf } from '../db/sql.ts'

/** The lists of products that the contract knows: to search in, to file in, and either. */
export const PRODUCT_LISTS = ['accessible', 'selectable', 'enterable'] as const

export type ProductList = (typeof PRODUCT_LISTS)[number]

export const reachableInput = z.object({})
export const reachableOutput = z.strictObject({ ids: z.array(z.int()) })

/**
 * GET /product_selectable: the products whose bugs the caller may search, by name. Contract
 * "Products".
 */
export function selectableProducts(ctx: Ctx) {
  return idsIn(ctx, 'selectable')
}

/**
 * GET /product_enterable: the products in which the caller may file bugs, by name. Contract
 * "Products".
 */
export function enterableProducts(ctx: Ctx) {
  return idsIn(ctx, 'enterable')
}

/** GET /product_accessible: the products of both other lists, by name. Contract "Products". */
export function accessibleProducts(ctx: Ctx) {
  return idsIn(ctx, 'accessible')
}

/**
 * Whether a product is in one of the lists for the caller, as a condition on the table `products`.
 */
export function productIn(lists: readonly ProductList[], caller: Caller): SQL {
  const plain = lists.flatMap((list) =>
    list === 'accessible' ? (['selectable', 'enterable'] as const) : [list],
  )
  const conditions = {
    selectable: selectableProductCondition,
    enterable: enterableProductCondition,
  }
  return anyOf([...new Set(plain)].map((list) => conditions[list](caller)))
}

async function idsIn(ctx: Ctx, list: ProductList) {
  const { found } = await readBatch(ctx, {
    found: db
      .select({ id: products.id })
      .from(products)
      .where(productIn([list], ctx.caller))
      .orderBy(products.nameFold),
  })
  return { ids: found.map(({ id }) => id) }
}
