import * as z from 'zod'
import type { PersonCtx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { components, products as productsTable } from '../../platform/db/schema/products.ts'
import { db, newestId, sql } from '../../platform/db/sql.ts'
import { createAudited } from '../../platform/db/write-audited.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { alsoAt, operation, rightOnRows } from '../../platform/http/operations/operation.ts'
import { boolean, selectionInput, text } from '../../platform/http/operations/shapes.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { cleanLine, fold, textOrBlank } from '../../platform/lib/text.ts'
import { PeoplePresenter } from '../users/people.ts'
import { decideComponent } from './decide.ts'
import { componentNameTaken, createComponentFaults } from './faults.ts'
import { presentComponent } from './present.ts'
import {
  assertMayConfigure,
  productNameCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from './product-access.ts'
import { componentShape, componentValues } from './shapes.ts'
import { insertDefaultCc, presentState, selectComponentReferences, toColumns } from './state.ts'

const ACTION = 'create components'

async function assertMayCreateComponent(ctx: PersonCtx, { product }: Parameters): Promise<void> {
  const { caller } = ctx
  const condition = productNameCondition(textOrBlank(product))
  const { products } = await readBatch(ctx, { products: selectProductAccess(caller, condition) })
  assertMayConfigure(caller, products, ACTION)
}

export const createComponent = operation(
  {
    method: 'POST',
    path: '/component/:product{.+}',
    makes: '/component/:product/:name',
    summary: 'Create a component',
    reference: 'products.md#create-a-component',
    input: z.strictObject({
      product: text(),
      name: text(),
      /** What some clients call the name. */
      component: text(),
      /** What some clients call `is_active` on creation. */
      is_open: boolean(),
      ...componentValues,
      ...selectionInput,
    }),
    output: componentShape,
    faults: createComponentFaults,
    requires: rightOnRows(assertMayCreateComponent),
    scope: 'write',
  },
  async (ctx, input) => {
    const { settings, caller } = ctx
    const productName = input.product ?? ''
    const values = {
      ...input,
      name: input.name ?? input.component,
      is_active: input.is_active ?? input.is_open,
    }
    const { products, sameName, people, types } = await readBatch(ctx, {
      products: selectProductAccess(caller, productNameCondition(productName)),
      sameName: db
        .select({ id: components.id })
        .from(components)
        .where(sql`${components.nameFold} = ${fold(cleanLine(values.name ?? ''))}
        AND ${components.productId} = (SELECT ${productsTable.id} FROM products WHERE ${productNameCondition(productName)})`),
      ...selectComponentReferences(values),
    })
    assertMayConfigure(caller, products, ACTION)
    if (productName.trim() === '') {
      throw fault(parameterMissing, { field: 'product' })
    }
    const product = requireAccessibleProduct(products, productName)
    const defaultType = product.defaultType ?? settings.DEFAULT_BUG_TYPE
    const state = decideComponent(null, values, {
      people,
      types,
      productType: defaultType,
      // clients that call the name so cannot send a team
      defaultTeamName: input.name === undefined && input.component !== undefined ? '' : undefined,
    })
    if (sameName.length > 0) {
      throw fault(componentNameTaken, { name: state.name, product: product.name })
    }
    const id = await createAudited(
      ctx,
      'Component',
      {
        row: { productId: product.id, ...toColumns(state) },
        shown: presentState(state),
      },
      { defaultCc: insertDefaultCc(newestId(components), state) },
    )
    const view = { people: new PeoplePresenter(caller, settings), defaultType }
    return new Selection(input).prune(presentComponent(id, state, view))
  },
)

export const createComponentByQuery = alsoAt(createComponent, {
  path: '/component',
  summary: 'Create a component, its product named in query or body',
})
