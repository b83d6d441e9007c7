import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { components as componentsTable } from '../../platform/db/schema/components.ts'
import { products as productsTable } from '../../platform/db/schema/products.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { parameterMissing } from '../../platform/faults/parameters.ts'
import { requiredText, selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { fold } from '../../platform/lib/text.ts'
import { PeoplePresenter } from '../users/people.ts'
import { productPartUnknown } from './faults.ts'
import { presentComponent } from './present.ts'
import {
  productNameCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from './product-access.ts'
import { componentShape } from './shapes.ts'
import { parseState, selectComponents } from './state.ts'

export const getComponentInput = z.object({
  product: requiredText(),
  component: requiredText(),
  ...selectionInput,
})

export const getComponentOutput = componentShape

/**
 * GET /component/{product}/{component} and GET /component with both in the query: one component by name.
 * Faults 50 for a missing name, 106 for a product that does not exist or is hidden from the caller, 51 for
 * an unknown component. Reference: products.md, "Get a component".
 */
export async function getComponent(ctx: Ctx, input: z.output<typeof getComponentInput>) {
  const { caller, settings } = ctx
  const names = {
    product: requireParameter('product', input),
    component: requireParameter('component', input),
  }
  const { products, components } = await readBatch(ctx, {
    products: selectProductAccess(caller, productNameCondition(names.product)),
    components: selectComponents(sql`${componentsTable.nameFold} = ${fold(names.component.trim())}
      AND ${componentsTable.productId} = (SELECT ${productsTable.id} FROM products WHERE ${productNameCondition(names.product)})`),
  })
  const product = requireAccessibleProduct(products, names.product)
  const [row] = components
  if (row === undefined) {
    const { component: name } = names
    throw fault(productPartUnknown, { kind: 'component', name, product: product.name })
  }
  const people = new PeoplePresenter(caller, settings)
  const defaultType = product.defaultType ?? settings.DEFAULT_BUG_TYPE
  const component = presentComponent(row.id, parseState(row), { people, defaultType })
  return new Selection(input).prune(component)
}

function requireParameter(
  field: 'product' | 'component',
  input: { product: string; component: string },
): string {
  if (input[field].trim() === '') {
    throw fault(parameterMissing, { field })
  }
  return input[field]
}
