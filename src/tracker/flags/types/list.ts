import * as z from 'zod'
import type { Caller } from '../../../platform/access/caller.ts'
import { readBatch } from '../../../platform/db/read-batch.ts'
import type { flagTypes } from '../../../platform/db/schema/flags.ts'
import { components, products } from '../../../platform/db/schema/products.ts'
import { db, sql } from '../../../platform/db/sql.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { alsoAt, anyone, operation } from '../../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../../platform/http/operations/read-turns.ts'
import { selectionInput } from '../../../platform/http/operations/shapes.ts'
import { pick } from '../../../platform/lib/pick.ts'
import { Selection } from '../../../platform/lib/selection.ts'
import { fold } from '../../../platform/lib/text.ts'
import { productPartUnknown } from '../../components/faults.ts'
import {
  productCondition,
  requireAccessibleProduct,
  selectProductAccess,
} from '../../components/product-access.ts'
import { listFlagTypesFaults } from '../faults.ts'
import { canGrantFlag, canRequestFlag } from '../rules.ts'
import { type FlagTypeScope, findTypesOfAny, selectTypesOfProducts } from '../scopes.ts'

const listFlagTypesInput = z.object({ id_or_name: z.string(), ...selectionInput })

const typeShape = z.strictObject({
  id: z.int(),
  name: z.string(),
  description: z.string(),
  type: z.enum(['bug', 'attachment']),
  values: z.array(z.enum(['X', '?', '+', '-'])),
  is_active: z.boolean(),
  is_requesteeble: z.boolean(),
  is_multiplicable: z.boolean(),
  inclusions: z.array(z.string()).optional(),
  exclusions: z.array(z.string()).optional(),
})

const listShape = z.strictObject({ bug: z.array(typeShape), attachment: z.array(typeShape) })

type Input = z.output<typeof listFlagTypesInput> & { component?: string }

/** The types that apply in a product or to a component, with the statuses that the caller may set. */
export const listFlagTypes = operation(
  {
    method: 'GET',
    path: '/flag_type/:id_or_name',
    summary: 'Read the flag types of a product',
    reference: 'flag-types.md#get-flag-types',
    input: listFlagTypesInput,
    output: listShape.partial(),
    faults: listFlagTypesFaults,
    requires: anyone,
    scope: 'read',
  },
  // of a component there are few, and the page of its bugs reads them beside much else
  inReadTurn(
    async (ctx, input: Input) => {
      const { id_or_name: product, component: name } = input
      const productId = sql`(SELECT ${products.id} FROM products WHERE ${productCondition(product)})`
      const {
        places,
        parts,
        flagTypes: types,
        flagTypeScopes: scopes,
      } = await readBatch(ctx, {
        places: selectProductAccess(ctx.caller, productCondition(product)),
        parts: db
          .select({ id: components.id, name: components.name, nameFold: components.nameFold })
          .from(components)
          .where(sql`${components.productId} = ${productId}`),
        ...selectTypesOfProducts(productId),
      })
      const place = requireAccessibleProduct(places, product)
      const selectedComponents = parts.filter(
        ({ nameFold }) => name === undefined || nameFold === fold(name.trim()),
      )
      if (name !== undefined && selectedComponents.length === 0) {
        throw fault(productPartUnknown, { kind: 'component', name, product: place.name })
      }
      const applying = findTypesOfAny(
        types,
        scopes,
        selectedComponents.map(({ id }) => ({ id, productId: place.id })),
      )
      const scopesOf = Map.groupBy(scopes, ({ flagTypeId }) => flagTypeId)
      const names = new Map(parts.map((part) => [part.id, part.name]))
      const presented = types
        .filter((type) => applying.has(type))
        .map((type) =>
          presentFlagType(type, ctx.caller, presentScopes(scopesOf.get(type.id) ?? [], names)),
        )
      const on = (target: 'bug' | 'attachment') => presented.filter(({ type }) => type === target)
      return new Selection(input).prune({ bug: on('bug'), attachment: on('attachment') })
    },
    ({ component }) => component === undefined,
  ),
)

export const listFlagTypesOfComponent = alsoAt(listFlagTypes, {
  path: '/flag_type/:id_or_name/:component{.+}',
  summary: 'Read the flag types of a component',
  input: listFlagTypesInput.extend({ component: z.string() }),
})

function presentFlagType(
  row: typeof flagTypes.$inferSelect,
  caller: Caller,
  limits: { inclusions?: string[]; exclusions?: string[] },
): z.output<typeof typeShape> {
  return {
    ...pick(row, 'id', 'name', 'description'),
    type: row.target,
    values: listSettableStatuses(row, caller),
    is_active: row.isActive,
    is_requesteeble: row.isRequesteeble,
    is_multiplicable: row.isMultiplicable,
    ...limits,
  }
}

/** Anonymous callers cannot set flags. */
function listSettableStatuses(
  row: typeof flagTypes.$inferSelect,
  caller: Caller,
): ('X' | '?' | '+' | '-')[] {
  if (caller.kind !== 'person') {
    return ['X']
  }
  const canRequest = row.isRequestable && canRequestFlag(caller.groups, row)
  const canGrant = canGrantFlag(caller.groups, row)
  return ['X', ...(canRequest ? (['?'] as const) : []), ...(canGrant ? (['+', '-'] as const) : [])]
}

/** The components that a type is limited to, or otherwise those that it excludes. */
function presentScopes(scopes: readonly FlagTypeScope[], names: ReadonlyMap<number, string>) {
  const listNames = (isExclusion: boolean) =>
    scopes
      .filter((scope) => scope.isExclusion === isExclusion)
      .flatMap(({ componentId }) => (componentId === null ? [] : (names.get(componentId) ?? [])))
      .sort()
  const appliesToProduct = scopes.some((scope) => !scope.isExclusion && scope.componentId === null)
  const [inclusions, exclusions] = [appliesToProduct ? [] : listNames(false), listNames(true)]
  if (inclusions.length > 0) {
    return { inclusions }
  }
  return exclusions.length > 0 ? { exclusions } : {}
}
