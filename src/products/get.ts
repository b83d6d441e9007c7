import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { readBatch } from '../db/read-batch.ts'
import { names, selectionInput } from '../http/shapes.ts'
import { type IdsAndNames, parseId, uniteWithPath } from '../lib/id-or-name.ts'
import { Selection } from '../lib/selection.ts'
import { fold } from '../lib/text.ts'
import { PeoplePresenter } from '../users/people.ts'
import { presentProducts } from './present.ts'
import { PRODUCT_LISTS, type ProductList } from './reachable.ts'
import { type ProductRows, readingsFor } from './rows.ts'
import { productShape, wantedBy } from './shapes.ts'

export const getProductsInput = z.object({
  type: productLists(),
  /** Taken as texts, because an ID that is none is left out of the answer and no fault. */
  ids: names().meta({ type: 'array', items: { type: 'integer' } }),
  names: names(),
  ...selectionInput,
})

export const getProductInput = getProductsInput.extend({ id_or_name: z.string() })

export const getProductsOutput = z.strictObject({ products: z.array(productShape) })

type Input = z.output<typeof getProductsInput> & { id_or_name?: string }

/**
 * GET /product and GET /product/{id_or_name}: the products asked for, or all in the lists of
 * `type`, by name. What does not exist or is not in those lists for the caller is silently left
 * out. Contract "Products". Fault 53 for an unknown list.
 */
export async function getProducts(ctx: Ctx, input: Input) {
  const selection = new Selection(input)
  const lists = input.type ?? ['accessible']
  const readings = readingsFor(ctx.caller, lists, namedIn(input), wantedBy(selection))
  const rows: ProductRows = await readBatch(ctx, readings)
  const view = {
    people: new PeoplePresenter(ctx.caller, ctx.settings),
    defaultType: ctx.settings.DEFAULT_BUG_TYPE,
  }
  return { products: presentProducts(rows, view).map((product) => selection.prune(product)) }
}

/**
 * The products that the path, `ids` and `names` call for, united; null when they name none at all.
 */
function namedIn({ id_or_name: path, ids = [], names: given = [] }: Input): IdsAndNames | null {
  if (path === undefined && ids.length === 0 && given.length === 0) {
    return null
  }
  const idTexts = ids.flatMap((text) => text.split(','))
  const named = uniteWithPath({
    id_or_name: path,
    ids: idTexts.flatMap((text) => parseId(text) ?? []),
    names: given,
  })
  return { ids: named.ids, names: named.names.map(fold) }
}

/** Undefined when no list is named. */
function productLists() {
  return names()
    .transform((given, ctx): ProductList[] | undefined => {
      const lists = given?.flatMap((name) => PRODUCT_LISTS.find((list) => list === name) ?? [])
      if (lists?.length !== given?.length) {
        ctx.addIssue({ code: 'custom', message: `must be one of: ${PRODUCT_LISTS.join(', ')}` })
      }
      return lists?.length === 0 ? undefined : lists
    })
    .meta({ type: 'array', items: { enum: [...PRODUCT_LISTS] } })
    .optional()
}
