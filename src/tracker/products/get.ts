import * as z from 'zod'
import { readBatch } from '../../platform/db/read-batch.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
import { inScanTurn } from '../../platform/http/operations/read-turns.ts'
import { names, selectionInput } from '../../platform/http/operations/shapes.ts'
import { type IdsAndNames, parseId, uniteWithPath } from '../../platform/lib/id-or-name.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold } from '../../platform/lib/text.ts'
import { valuesTooMany } from '../fields/faults.ts'
import { admitListed, ROWS_OF_PAGE } from '../fields/listed-values.ts'
import { flagTypesTooMany } from '../flags/faults.ts'
import { admitListedTypes, WHOLE_TYPES } from '../flags/listed-types.ts'
import { createTypeFinder } from '../flags/scopes.ts'
import { PeoplePresenter } from '../users/people.ts'
import { presentProducts } from './present.ts'
import { PRODUCT_LISTS, type ProductList } from './product-lists.ts'
import { type ProductRows, selectProductsWithParts } from './rows.ts'
import { findRequestedFields, productShape } from './shapes.ts'
import { repeatsLongTypes, streamProducts } from './stream.ts'

const getProductsInput = z.object({
  type: productLists(),
  /** Texts, because an invalid ID is left out of the answer and is no fault. */
  ids: names().meta({ type: 'array', items: { type: 'integer' } }),
  names: names(),
  ...selectionInput,
})

/** Products whose parts are read beside others. */
const FEW = 10

type Input = z.output<typeof getProductsInput> & { id_or_name?: string }

/**
 * The named products, or all in the lists of `type`, by name. Products that do not exist or are not in
 * those lists for the caller are left out without a fault.
 */
export const getProducts = operation(
  {
    method: 'GET',
    path: '/product',
    summary: 'Read products with their components, versions and milestones',
    reference: 'products.md#get-products',
    input: getProductsInput,
    output: z.strictObject({ products: z.array(productShape) }),
    faults: [flagTypesTooMany, valuesTooMany],
    requires: anyone,
    scope: 'read',
  },
  inScanTurn(async (ctx, input: Input) => {
    const selection = new Selection(input)
    const lists = input.type ?? ['accessible']
    const refs = parseProductRefs(input)
    const requested = findRequestedFields(selection)
    // a list of flag types needs every component
    const isPart = ctx.shortensValues && requested.components?.flag_types !== true
    const most = isPart ? ROWS_OF_PAGE : undefined
    const queries = selectProductsWithParts(ctx.caller, lists, refs, requested, most)
    const rows: ProductRows = await readBatch(ctx, queries)
    admitListed(ctx, [rows.products, rows.components, rows.versions, rows.milestones], ADVICE)
    const findTypes = createTypeFinder(rows.flagTypes ?? [], rows.flagTypeScopes ?? [])
    const components = rows.components ?? []
    admitListedTypes(ctx, components, findTypes, WHOLE_TYPES)
    const context = {
      findTypes,
      people: new PeoplePresenter(ctx.caller, ctx.settings),
      defaultType: ctx.settings.DEFAULT_BUG_TYPE,
    }
    const products = presentProducts(rows, context)
    return repeatsLongTypes(components, findTypes)
      ? streamProducts(products, selection)
      : { products: products.map((product) => selection.prune(product)) }
  }, readsManyRows),
)

export const getProduct = alsoAt(getProducts, {
  path: '/product/:id_or_name',
  summary: 'Read one product with its components, versions and milestones',
  input: getProductsInput.extend({ id_or_name: z.string() }),
})

const ADVICE =
  "Name fewer products, or leave parts out, with 'exclude_fields=components,versions,milestones'"

/** The names of products read little, as do a few products without flag types: pages read both beside much else. */
function readsManyRows(input: Input): boolean {
  const { id, name, ...others } = findRequestedFields(new Selection(input))
  const refs = parseProductRefs(input)
  const isFew = refs !== null && refs.ids.length + refs.names.length <= FEW
  return others.components?.flag_types === true || (!isFew && Object.keys(others).length > 0)
}

/** Unites the path, `ids` and `names`, names folded; null when the request names no product. */
function parseProductRefs({
  id_or_name: path,
  ids = [],
  names: nameTexts = [],
}: Input): IdsAndNames | null {
  if (path === undefined && ids.length === 0 && nameTexts.length === 0) {
    return null
  }
  const idTexts = ids.flatMap((text) => text.split(','))
  const refs = uniteWithPath({
    id_or_name: path,
    ids: idTexts.flatMap((text) => parseId(text) ?? []),
    names: nameTexts,
  })
  return { ids: refs.ids, names: refs.names.map(fold) }
}

/** The lists of the parameter `type`; undefined when it names none. */
function productLists() {
  return names()
    .transform((texts, ctx): ProductList[] | undefined => {
      const lists = texts?.flatMap((name) => PRODUCT_LISTS.find((list) => list === name) ?? [])
      if (lists?.length !== texts?.length) {
        ctx.addIssue({ code: 'custom', message: `must be one of: ${PRODUCT_LISTS.join(', ')}` })
      }
      return lists?.length === 0 ? undefined : lists
    })
    .meta({ type: 'array', items: { enum: [...PRODUCT_LISTS] } })
    .optional()
}
