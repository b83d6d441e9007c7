import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import {
  enterableProductCondition,
  selectableProductCondition,
} from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { db } from '../../platform/db/client.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { products } from '../../platform/db/schema/products.ts'
import { anyOf } from '../../platform/db/sql.ts'

/** `selectable`: to search in. `enterable`: to file bugs in. `accessible`: either. */
export const PRODUCT_LISTS = ['accessible', 'selectable', 'enterable'] as const

export type ProductList = (typeof PRODUCT_LISTS)[number]

export const productListInput = z.object({})
export const productListOutput = z.strictObject({ ids: z.array(z.int()) })

/**
 * GET /product_selectable: the products whose bugs the caller may search, by name.
 * Reference: products.md, "List the products within reach".
 */
export function listSelectableProducts(ctx: Ctx) {
  return loadProductIds(ctx, 'selectable')
}

/**
 * GET /product_enterable: the products in which the caller may file bugs, by name.
 * Reference: products.md, "List the products within reach".
 */
export function listEnterableProducts(ctx: Ctx) {
  return loadProductIds(ctx, 'enterable')
}

/**
 * GET /product_accessible: the products of both other lists, by name.
 * Reference: products.md, "List the products within reach".
 */
export function listAccessibleProducts(ctx: Ctx) {
  return loadProductIds(ctx, 'accessible')
}

/** Whether a row of `products` is in one of the lists for the caller. */
export function productListsCondition(lists: readonly ProductList[], caller: Caller): SQL {
  const basicLists = lists.flatMap((list) =>
    list === 'accessible' ? (['selectable', 'enterable'] as const) : [list],
  )
  const conditions = {
    selectable: selectableProductCondition,
    enterable: enterableProductCondition,
  }
  return anyOf([...new Set(basicLists)].map((list) => conditions[list](caller)))
}

async function loadProductIds(ctx: Ctx, list: ProductList) {
  const { rows } = await readBatch(ctx, {
    rows: db
      .select({ id: products.id })
      .from(products)
      .where(productListsCondition([list], ctx.caller))
      .orderBy(products.nameFold),
  })
  return { ids: rows.map(({ id }) => id) }
}
