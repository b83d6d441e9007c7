import { hasRole, type Person } from '../../../platform/access/caller.ts'
import { groupUnknown, notAuthorized, productDenied } from '../../../platform/access/faults.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { fold } from '../../../platform/lib/text.ts'
import { productPartUnknown } from '../../components/faults.ts'
import { flagTypeNotEditable } from '../faults.ts'
import type { ScopeRow, TypeReferences, TypeRow } from './create-load.ts'
import {
  parseTypeCcList,
  parseTypeDescription,
  parseTypeName,
  parseTypeSortKey,
  type ScopeRef,
  type TypeValues,
} from './create-values.ts'

/** An inclusion or exclusion of a type; null stands for every product or every component. */
type TypeScope = {
  readonly productId: number | null
  readonly componentId: number | null
  /** The form in the audit log: `Product`, or `Product:Component`. */
  readonly label: string
  /** Whether the caller may change the components of the product. */
  readonly isConfigurable: boolean
}

/** All values of a flag type that can change. */
export type TypeState = Omit<TypeRow, 'id' | 'target' | 'revision'> & {
  readonly inclusions: readonly TypeScope[]
  readonly exclusions: readonly TypeScope[]
}

const EVERY_PRODUCT: TypeScope = {
  productId: null,
  componentId: null,
  label: 'every product',
  isConfigurable: false,
}

/** The values of a new type where the input gives none. */
export const DEFAULT_TYPE_STATE: TypeState = {
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
  inclusions: [EVERY_PRODUCT],
  exclusions: [],
}

type TypeInput = Partial<TypeValues> & { readonly name?: string | undefined }

/** Decides the values of a flag type from its current values and the input. */
export function decideFlagType(
  before: TypeState,
  input: TypeInput,
  references: TypeReferences,
): TypeState {
  const { name, description, cc_list } = input
  const decideGroup = (ref: string | null | undefined, currentId: number | null) =>
    ref === undefined ? currentId : requireGroupId(ref, references)
  const decideScopes = (refs: readonly ScopeRef[] | undefined, current: readonly TypeScope[]) =>
    refs === undefined ? current : requireScopes(refs, references)
  return {
    name: name === undefined ? before.name : parseTypeName(name),
    description: description === undefined ? before.description : parseTypeDescription(description),
    ccList: cc_list === undefined ? before.ccList : parseTypeCcList(cc_list),
    sortKey: parseTypeSortKey(input) ?? before.sortKey,
    isActive: input.is_active ?? before.isActive,
    isRequestable: input.is_requestable ?? before.isRequestable,
    isRequesteeble:
      input.is_specifically_requestable ?? input.is_requesteeble ?? before.isRequesteeble,
    isMultiplicable: input.is_multiplicable ?? before.isMultiplicable,
    grantGroupId: decideGroup(input.grant_group, before.grantGroupId),
    requestGroupId: decideGroup(input.request_group, before.requestGroupId),
    inclusions: decideScopes(input.inclusions, before.inclusions),
    exclusions: decideScopes(input.exclusions, before.exclusions),
  }
}

/** Makes the state of a type from its row and the scopes of all types. */
export function parseTypeState(row: TypeRow, scopes: readonly ScopeRow[]): TypeState {
  const { id, target, revision, ...values } = row
  const own = scopes.filter(({ flagTypeId }) => flagTypeId === id)
  const scopesOf = (isExclusion: boolean) =>
    own
      .filter((scope) => scope.isExclusion === isExclusion)
      .map(({ productId, componentId, product, component, isConfigurable }) => ({
        productId,
        componentId,
        label: product === null ? EVERY_PRODUCT.label : labelScope(product, component),
        isConfigurable,
      }))
  return { ...values, inclusions: scopesOf(false), exclusions: scopesOf(true) }
}

/** The values of a type under the names of the API, for the audit log and the answer. */
export function presentTypeState(state: TypeState) {
  const joinLabels = (scopes: readonly TypeScope[]) => scopes.map(({ label }) => label).join(', ')
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
    inclusions: joinLabels(state.inclusions),
    exclusions: joinLabels(state.exclusions),
  }
}

/** Refuses callers who may not change the components of any product. */
export function assertMayEditTypes(
  caller: Person,
  { rights }: Pick<TypeReferences, 'rights'>,
  action: string,
): void {
  if (!hasRole(caller, 'editcomponents') && rights.length === 0) {
    throw fault(notAuthorized, { action })
  }
}

/** Refuses a type that applies to a product whose components the caller may not change. */
export function assertMayEditType(caller: Person, state: TypeState): void {
  const isOwn =
    state.inclusions.length > 0 && state.inclusions.every(({ isConfigurable }) => isConfigurable)
  if (!hasRole(caller, 'editcomponents') && !isOwn) {
    throw fault(flagTypeNotEditable, { flag: state.name })
  }
}

function requireGroupId(ref: string | null, { groups }: TypeReferences): number | null {
  const name = (ref ?? '').trim()
  if (name === '') {
    return null
  }
  const group = groups.find(({ nameFold }) => nameFold === fold(name))
  if (group === undefined) {
    throw fault(groupUnknown, { group: name })
  }
  return group.id
}

function requireScopes(refs: readonly ScopeRef[], references: TypeReferences): TypeScope[] {
  const scopes = refs.map(({ product: name, component: part }) => {
    const [productFold, partFold] = [fold(name.trim()), fold((part ?? '').trim())]
    const product = references.products.find(({ nameFold }) => nameFold === productFold)
    if (product?.isAccessible !== true) {
      throw fault(productDenied, { product: name })
    }
    const component = references.components.find(
      ({ productId, nameFold }) => productId === product.id && nameFold === partFold,
    )
    if (part !== null && component === undefined) {
      throw fault(productPartUnknown, { kind: 'component', name: part, product: product.name })
    }
    return {
      productId: product.id,
      componentId: component?.id ?? null,
      label: labelScope(product.name, component?.name ?? null),
      isConfigurable: product.isConfigurable,
    }
  })
  const byKey = scopes.map((scope) => [`${scope.productId} ${scope.componentId}`, scope] as const)
  return [...new Map(byKey).values()]
}

function labelScope(product: string, component: string | null): string {
  return component === null ? product : `${product}:${component}`
}
