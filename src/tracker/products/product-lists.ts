import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../../platform/access/caller.ts'
import {
  enterableProductCondition,
  selectableProductCondition,
} from '../../platform/access/visibility.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { products } from '../../platform/db/schema/products.ts'
import { anyOf, db } from '../../platform/db/sql.ts'
import { anyone, type Operation, operation } from '../../platform/http/operations/operation.ts'

/** `selectable`: to search in. `enterable`: to file bugs in. `accessible`: either. */
export const PRODUCT_LISTS = ['accessible', 'selectable', 'enterable'] as const

export type ProductList = (typeof PRODUCT_LISTS)[number]

/** The IDs of the products in each list. */
export const productListOperations: Operation[] = [
  listProducts('selectable', 'List the products whose bugs the caller may search'),
  listProducts('enterable', 'List the products in which the caller may file bugs'),
  listProducts('accessible', 'List the products that the caller may search or file bugs in'),
]

function listProducts(list: ProductList, summary: string) {
  return operation(
    {
      method: 'GET',
      path: `/product_${list}`,
      summary,
      reference: 'products.md#list-the-products-within-reach',
      input: z.object({}),
      output: z.strictObject({ ids: z.array(z.int()) }),
      requires: anyone,
      scope: 'read',
    },
    async (ctx) => {
      const { rows } = await readBatch(ctx, {
        rows: db
          .select({ id: products.id })
          .from(products)
          .where(productListsCondition([list], ctx.caller))
          .orderBy(products.nameFold),
      })
      return { ids: rows.map(({ id }) => id) }
    },
  )
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
