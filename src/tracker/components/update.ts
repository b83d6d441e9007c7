import { eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import type { PersonCtx } from '../../platform/context.ts'
import type { Changes } from '../../platform/db/audit.ts'
import { type CommitParts, commit } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import {
  componentCc,
  components,
  products as productsTable,
} from '../../platform/db/schema/products.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { type Author, updateAudited } from '../../platform/db/write-audited.ts'
import { fault, parameterMissing } from '../../platform/faults/fault.ts'
import { alsoAt, operation, rightOnRows } from '../../platform/http/operations/operation.ts'
import { selectionInput, text } from '../../platform/http/operations/shapes.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { parseId } from '../../platform/lib/id-or-name.ts'
import { omitUndefined } from '../../platform/lib/omit-undefined.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { cleanLine, fold, textOrBlank } from '../../platform/lib/text.ts'
import { PeoplePresenter } from '../users/people.ts'
import { decideComponent } from './decide.ts'
import {
  componentNameTaken,
  componentUnknown,
  createComponentFaults,
  productPartUnknown,
} from './faults.ts'
import { presentComponent } from './present.ts'
import {
  type ProductAccess,
  productNameCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from './product-access.ts'
import { type ComponentInput, componentShape, componentValues } from './shapes.ts'
import {
  type ComponentRow,
  type ComponentState,
  insertDefaultCc,
  parseState,
  presentState,
  selectComponentReferences,
  selectComponents,
  toColumns,
} from './state.ts'

const updateComponentInput = z.object({
  /** The name of the product; a number without `component` is the ID of a component. */
  product: text(),
  component: text(),
  name: text(),
  ...componentValues,
  /** Some clients put the values here. */
  updates: z.object({ name: text(), ...componentValues }).optional(),
  ...selectionInput,
})

/** The component that a request names. */
type ComponentRef = {
  /** A condition on `products`. */
  readonly product: SQL
  /** A condition on `components`. */
  readonly component: SQL
  /** As the caller wrote it; faults about an ID must not reveal the product. */
  readonly wireRef: { product: string; component: string } | { id: string }
  /** The name that the request lacks, which is refused behind the right. */
  readonly missing?: string | undefined
}

/** The right to change the component of the request, or its triage owner alone. */
async function assertMayUpdateComponent(
  ctx: PersonCtx,
  { product, component }: Parameters,
): Promise<void> {
  const { caller } = ctx
  const ref = parseComponentRef({
    product: textOrBlank(product),
    component: textOrBlank(component),
  })
  const { products } = await readBatch(ctx, { products: selectProductAccess(caller, ref.product) })
  filterAllowedValues(caller, products, {})
}

/**
 * Changes a component and returns all of it. Callers who may only change triage owners change those; other
 * values are ignored.
 */
export const updateComponent = operation(
  {
    method: 'PUT',
    path: '/component/:product/:component{.+}',
    summary: 'Change a component',
    reference: 'products.md#change-a-component',
    input: updateComponentInput,
    output: componentShape,
    faults: [...createComponentFaults, componentUnknown, productPartUnknown],
    requires: rightOnRows(assertMayUpdateComponent),
    scope: 'write',
  },
  async (ctx, input) => {
    const { settings, caller } = ctx
    const ref = parseComponentRef(input)
    const requested = { ...input, ...omitUndefined(input.updates ?? {}) }
    const { products, rows, sameName, people, types } = await readBatch(ctx, {
      products: selectProductAccess(caller, ref.product),
      rows: selectComponents(ref.component),
      sameName: db
        .select({ id: components.id })
        .from(components)
        .where(sql`${components.nameFold} = ${fold(cleanLine(requested.name ?? ''))}
        AND ${components.productId} = (SELECT ${productsTable.id} FROM products WHERE ${ref.product})`),
      ...selectComponentReferences(requested),
    })
    const values = filterAllowedValues(caller, products, requested)
    if (ref.missing !== undefined) {
      throw fault(parameterMissing, { field: ref.missing })
    }
    const { product, row } = requireComponent(ref, products, rows)
    const defaultType = product.defaultType ?? settings.DEFAULT_BUG_TYPE
    const before = parseState(row)
    const after = decideComponent(before, values, { people, types, productType: defaultType })
    if (values.name !== undefined && sameName.some(({ id }) => id !== row.id)) {
      throw fault(componentNameTaken, { name: after.name, product: product.name })
    }
    await commit(ctx, componentStatements(ctx, row, before, after))
    const view = { people: new PeoplePresenter(caller, settings), defaultType }
    return new Selection(input).prune(presentComponent(row.id, after, view))
  },
)

export const updateComponentByQuery = alsoAt(updateComponent, {
  path: '/component',
  summary: 'Change a component of a product whose name may hold a slash',
})

export const updateComponentById = alsoAt(updateComponent, {
  path: '/component/:product{.+}',
  summary: 'Change the component with this ID',
})

function parseComponentRef({
  product = '',
  component = '',
}: Pick<z.output<typeof updateComponentInput>, 'product' | 'component'>): ComponentRef {
  const id = product.trim()
  const componentId = parseId(id)
  if (component.trim() === '' && componentId !== null) {
    const hasId = sql`${components.id} = ${componentId}`
    return {
      product: sql`${productsTable.id} = (SELECT ${components.productId} FROM components WHERE ${hasId})`,
      component: hasId,
      wireRef: { id },
    }
  }
  const missing = Object.entries({ product, component }).find(([, name]) => name.trim() === '')
  const isProduct = productNameCondition(product)
  return {
    product: isProduct,
    component: sql`${components.nameFold} = ${fold(component.trim())}
    AND ${components.productId} = (SELECT ${productsTable.id} FROM products WHERE ${isProduct})`,
    wireRef: { product, component },
    missing: missing?.[0],
  }
}

/** The requested values that the caller may change. */
function filterAllowedValues(
  caller: Person,
  [product]: readonly ProductAccess[],
  requested: ComponentInput,
): ComponentInput {
  if (hasRole(caller, 'editcomponents') || product?.isConfigurable === true) {
    return requested
  }
  if (!hasRole(caller, 'edittriageowners')) {
    throw fault(notAuthorized, { action: 'change components' })
  }
  return { triage_owner: requested.triage_owner }
}

/** The loaded component with its product. */
function requireComponent(
  { wireRef }: ComponentRef,
  products: readonly ProductAccess[],
  rows: readonly ComponentRow[],
) {
  const [row] = rows
  if ('id' in wireRef) {
    const [product] = products
    if (product?.isAccessible !== true || row === undefined) {
      throw fault(componentUnknown, wireRef)
    }
    return { product, row }
  }
  const product = requireAccessibleProduct(products, wireRef.product)
  if (row === undefined) {
    const { component: name } = wireRef
    throw fault(productPartUnknown, { kind: 'component', name, product: product.name })
  }
  return { product, row }
}

function componentStatements(
  author: Author,
  row: ComponentRow,
  before: ComponentState,
  after: ComponentState,
): CommitParts {
  const changes: Changes = diffFields(presentState(before), presentState(after))
  return {
    component: updateAudited(author, 'Component', [{ ...row, changes }], toColumns(after)),
    defaultCc:
      changes.default_cc === undefined
        ? []
        : [
            db.delete(componentCc).where(eq(componentCc.componentId, row.id)),
            insertDefaultCc(sql`${row.id}`, after),
          ],
  }
}
