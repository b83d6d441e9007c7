import { hasRole, type Person } from '../access/caller.ts'
import { fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { NamedRows, ScopeRow, TypeRow } from './create-type-load.ts'
import {
  type NamedScope,
  type TypeValues,
  typeCcList,
  typeDescription,
  typeName,
  typeSortKey,
} from './create-type-values.ts'

/** Where a type applies, or does not; nulls are every product and every component. */
export type TypeScope = {
  readonly productId: number | null
  readonly componentId: number | null
  /** As it is told: `Product`, or `Product:Component`. */
  readonly told: string
  /** Whether the caller may change the structure of the product. */
  readonly isOwn: boolean
}

/** Everything that can be changed of a flag type. */
export type TypeState = Omit<TypeRow, 'id' | 'target' | 'revision'> & {
  readonly inclusions: readonly TypeScope[]
  readonly exclusions: readonly TypeScope[]
}

const EVERYWHERE: TypeScope = {
  productId: null,
  componentId: null,
  told: 'every product',
  isOwn: false,
}

/** A type of which nothing was said. */
export const NEW_TYPE: TypeState = {
  name: '',
  description: '',
  ccList: '',
  sortKey: 1,
  isActive: true,
  isRequestable: true,
  isRequesteeble: true,
  isMultiplicable: true,
  grantGroupId: null,
  requestGroupId: null,
  inclusions: [EVERYWHERE],
  exclusions: [],
}

type Given = Partial<TypeValues> & { readonly name?: string | undefined }

/**
 * The type as the values given make it. Pure. Administration API "Flag types". Faults 1101 to 1104 and
 * 501 for values, 51 for a group or component and 106 for a product that does not exist or is not to be
 * known.
 */
export function decideType(before: TypeState, given: Given, named: NamedRows): TypeState {
  const { name, description, cc_list } = given
  const group = (asked: string | null | undefined, held: number | null) =>
    asked === undefined ? held : groupIn(asked, named)
  const scopes = (asked: readonly NamedScope[] | undefined, held: readonly TypeScope[]) =>
    asked === undefined ? held : scopesIn(asked, named)
  return {
    name: name === undefined ? before.name : typeName(name),
    description: description === undefined ? before.description : typeDescription(description),
    ccList: cc_list === undefined ? before.ccList : typeCcList(cc_list),
    sortKey: typeSortKey(given) ?? before.sortKey,
    isActive: given.is_active ?? before.isActive,
    isRequestable: given.is_requestable ?? before.isRequestable,
    isRequesteeble:
      given.is_specifically_requestable ?? given.is_requesteeble ?? before.isRequesteeble,
    isMultiplicable: given.is_multiplicable ?? before.isMultiplicable,
    grantGroupId: group(given.grant_group, before.grantGroupId),
    requestGroupId: group(given.request_group, before.requestGroupId),
    inclusions: scopes(given.inclusions, before.inclusions),
    exclusions: scopes(given.exclusions, before.exclusions),
  }
}

/** The state in the rows that were read. */
export function stateIn(row: TypeRow, scopes: readonly ScopeRow[]): TypeState {
  const { id, target, revision, ...values } = row
  const own = scopes.filter(({ flagTypeId }) => flagTypeId === id)
  const of = (isExclusion: boolean) =>
    own
      .filter((scope) => scope.isExclusion === isExclusion)
      .map(({ productId, componentId, product, component, isStructurable }) => ({
        productId,
        componentId,
        told: product === null ? EVERYWHERE.told : toldOf(product, component),
        isOwn: isStructurable,
      }))
  return { ...values, inclusions: of(false), exclusions: of(true) }
}

/** A type under the names of the wire, for the record of changes. */
export function toldType(state: TypeState) {
  const told = (scopes: readonly TypeScope[]) => scopes.map((scope) => scope.told).join(', ')
  return {
    name: state.name,
    description: state.description,
    cc_list: state.ccList,
    sort_key: state.sortKey,
    is_active: state.isActive,
    is_requestable: state.isRequestable,
    is_requesteeble: state.isRequesteeble,
    is_multiplicable: state.isMultiplicable,
    grant_group: state.grantGroupId,
    request_group: state.requestGroupId,
    inclusions: told(state.inclusions),
    exclusions: told(state.exclusions),
  }
}

/** Fault 304 for who may change the structure of no product at all. */
export function requireStructure(caller: Person, { rights }: NamedRows, action: string): void {
  if (!hasRole(caller, 'editcomponents') && rights.length === 0) {
    throw fault('notAuthorized', { action })
  }
}

/** Fault 1105 where the type applies to products that are not the caller's to change. */
export function requireOwn(caller: Person, state: TypeState): void {
  const isTheirs = state.inclusions.length > 0 && state.inclusions.every(({ isOwn }) => isOwn)
  if (!hasRole(caller, 'editcomponents') && !isTheirs) {
    throw fault('flagTypeNotEditable', { flag: state.name })
  }
}

function groupIn(asked: string | null, { groups }: NamedRows): number | null {
  const name = (asked ?? '').trim()
  if (name === '') {
    return null
  }
  const group = groups.find(({ nameFold }) => nameFold === fold(name))
  if (group === undefined) {
    throw fault('groupUnknown', { group: name })
  }
  return group.id
}

function scopesIn(asked: readonly NamedScope[], named: NamedRows): TypeScope[] {
  const found = asked.map(({ product: name, component: part }) => {
    const [productFold, partFold] = [fold(name.trim()), fold((part ?? '').trim())]
    const product = named.products.find(({ nameFold }) => nameFold === productFold)
    if (product?.isAccessible !== true) {
      throw fault('productDenied', { product: name })
    }
    const component = named.components.find(
      ({ productId, nameFold }) => productId === product.id && nameFold === partFold,
    )
    if (part !== null && component === undefined) {
      throw fault('productPartUnknown', { kind: 'component', name: part, product: product.name })
    }
    return {
      productId: product.id,
      componentId: component?.id ?? null,
      told: toldOf(product.name, component?.name ?? null),
      isOwn: product.isStructurable,
    }
  })
  const byPlace = found.map((scope) => [`${scope.productId} ${scope.componentId}`, scope] as const)
  return [...new Map(byPlace).values()]
}

function toldOf(product: string, component: string | null): string {
  return component === null ? product : `${product}:${component}`
}
