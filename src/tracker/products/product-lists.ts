import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import {
  enterableProductCondition,
  selectableProductCondition,
} from '../../platform/access/visibility.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { products } from '../../platform/db/schema/products.ts'
import { anyOf, db } from '../../platform/db/sql.ts'
import { anyone, operation } from '../../platform/http/operations/operation.ts'

/** `selectable`: to search in. `enterable`: to file bugs in. `accessible`: either. */
export const PRODUCT_LISTS = ['accessible', 'selectable', 'enterable'] as const

export type ProductList = (typeof PRODUCT_LISTS)[number]

const productListInput = z.object({})
const productListOutput = z.strictObject({ ids: z.array(z.int()) })

export const listSelectableProducts = operation(
  {
    method: 'GET',
    path: '/product_selectable',
    summary: 'List the products whose bugs the caller may search',
    reference: 'products.md#list-the-products-within-reach',
    input: productListInput,
    output: productListOutput,
    requires: anyone,
    scope: 'read',
  },
  (ctx) => {
    return loadProductIds(ctx, 'selectable')
  },
)

export const listEnterableProducts = operation(
  {
    method: 'GET',
    path: '/product_enterable',
    summary: 'List the products in which the caller may file bugs',
    reference: 'products.md#list-the-products-within-reach',
    input: productListInput,
    output: productListOutput,
    requires: anyone,
    scope: 'read',
  },
  (ctx) => {
    return loadProductIds(ctx, 'enterable')
  },
)

export const listAccessibleProducts = operation(
  {
    method: 'GET',
    path: '/product_accessible',
    summary: 'List the products that the caller may search or file bugs in',
    reference: 'products.md#list-the-products-within-reach',
    input: productListInput,
    output: productListOutput,
    requires: anyone,
    scope: 'read',
  },
  (ctx) => {
    return loadProductIds(ctx, 'accessible')
  },
)

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
