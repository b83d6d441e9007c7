import * as z from 'zod'
import { productDenied } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import {
  components as componentsTable,
  products as productsTable,
} from '../../platform/db/schema/products.ts'
import { sql } from '../../platform/db/sql.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../platform/http/operations/operation.ts'
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

export const getComponent = operation(
  {
    method: 'GET',
    path: '/component/:product/:component{.+}',
    summary: 'Read one component',
    reference: 'products.md#get-a-component',
    input: z.object({
      product: requiredText(),
      component: requiredText(),
      ...selectionInput,
    }),
    output: componentShape,
    faults: [productDenied, productPartUnknown],
    requires: anyone,
    scope: 'read',
  },
  async (ctx, input) => {
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
  },
)

export const getComponentByQuery = alsoAt(getComponent, {
  path: '/component',
  summary: 'Read one component of a product whose name may hold a slash',
})

function requireParameter(
  field: 'product' | 'component',
  input: { product: string; component: string },
): string {
  if (input[field].trim() === '') {
    throw fault(parameterMissing, { field })
  }
  return input[field]
}
