import { sortInNaturalOrder } from '../../platform/lib/natural-order.ts'
import { pick } from '../../platform/lib/pick.ts'
import type { TypeFinder } from '../flags/scopes.ts'
import type { PeoplePresenter } from '../users/people.ts'
import type { ProductRows } from './rows.ts'
import type { FlagType, Product } from './shapes.ts'

type ProductRow = ProductRows['products'][number]
type ComponentRow = NonNullable<ProductRows['components']>[number]
type ComponentTypes = Product['components'][number]['flag_types']
type VersionRow = NonNullable<ProductRows['versions']>[number]
export type FlagTypeRow = NonNullable<ProductRows['flagTypes']>[number]

/** What presenting a product needs beside its rows. */
type PresentationContext = {
  readonly people: PeoplePresenter
  /** Its lists are presented once for all components that share them. */
  readonly findTypes: TypeFinder<FlagTypeRow>
  /** The bug type of products that set none. */
  readonly defaultType: string
}

/**
 * Presents products in the order of the rows. Parts that were not read are empty; the selection of fields
 * drops them.
 */
export function presentProducts(rows: ProductRows, context: PresentationContext): Product[] {
  const componentsOf = Map.groupBy(rows.components ?? [], (row) => row.productId)
  const versionsOf = Map.groupBy(rows.versions ?? [], (row) => row.productId)
  const milestonesOf = Map.groupBy(rows.milestones ?? [], (row) => row.productId)
  const presentTypes = createTypesPresenter(context)
  return rows.products.map((row) => {
    const defaultType = row.defaultType ?? context.defaultType
    return {
      ...presentProduct(row, defaultType),
      components: (componentsOf.get(row.id) ?? []).map((component) =>
        presentComponent(component, presentTypes(component), { ...context, defaultType }),
      ),
      versions: sortInNaturalOrder(versionsOf.get(row.id) ?? []).map(presentVersion),
      milestones: (milestonesOf.get(row.id) ?? []).map(presentVersion),
    }
  })
}

function presentProduct(row: ProductRow, defaultType: string) {
  return {
    ...pick(row, 'id', 'name', 'description'),
    is_active: row.isActive,
    default_bug_type: defaultType,
    default_milestone: row.defaultMilestone ?? '',
    default_version: row.defaultVersion ?? '',
    has_unconfirmed: row.hasUnconfirmed,
    classification: row.classification ?? '',
  }
}

function presentComponent(
  row: ComponentRow,
  types: ComponentTypes,
  { people, defaultType }: PresentationContext,
) {
  return {
    ...pick(row, 'id', 'name', 'description'),
    default_assigned_to: people.presentLogin(row.assignee ?? ''),
    default_qa_contact: people.presentLogin(row.qaContact ?? ''),
    triage_owner: people.presentLogin(row.triageOwner ?? ''),
    sort_key: row.sortKey,
    is_active: row.isActive,
    default_bug_type: row.defaultType ?? defaultType,
    team_name: row.teamName,
    flag_types: types,
  }
}

/** Components with the same types share one object, or those of a large tracker would fill the memory. */
function createTypesPresenter({ people, findTypes }: PresentationContext) {
  const presented = new Map<FlagTypeRow, FlagType>()
  const present = (row: FlagTypeRow) => {
    const type = presented.get(row) ?? presentFlagType(row, people)
    presented.set(row, type)
    return type
  }
  const lists = new Map<readonly FlagTypeRow[], ComponentTypes>()
  return (component: ComponentRow): ComponentTypes => {
    const rows = findTypes(component)
    const on = (target: FlagTypeRow['target']) =>
      rows.filter((row) => row.target === target).map(present)
    const types = lists.get(rows) ?? { bug: on('bug'), attachment: on('attachment') }
    lists.set(rows, types)
    return types
  }
}

/** Versions and milestones have the same shape. */
function presentVersion(row: VersionRow) {
  return { id: row.id, name: row.name, sort_key: row.sortKey, is_active: row.isActive }
}

/** Presents the addresses of the CC list like logins: callers who are not logged in see no domains. */
function presentFlagType(row: FlagTypeRow, people: PeoplePresenter): FlagType {
  return {
    ...pick(row, 'id', 'name', 'description'),
    cc_list: row.ccList.replace(/[^\s,]+/g, (address) => people.presentLogin(address)),
    sort_key: row.sortKey,
    is_active: row.isActive,
    is_requestable: row.isRequestable,
    is_requesteeble: row.isRequesteeble,
    is_multiplicable: row.isMultiplicable,
    grant_group: row.grantGroupId,
    request_group: row.requestGroupId,
  }
}
