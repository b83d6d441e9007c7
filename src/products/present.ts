import { createTypeFinder } from '../flags/scopes.ts'
import { sortInNaturalOrder } from '../lib/natural-order.ts'
import type { PeoplePresenter } from '../users/people.ts'
import type { ProductRows } from './rows.ts'
import type { FlagType, Product } from './shapes.ts'

type ProductRow = ProductRows['products'][number]
type ComponentRow = NonNullable<ProductRows['components']>[number]
type VersionRow = NonNullable<ProductRows['versions']>[number]
type FlagTypeRow = NonNullable<ProductRows['flagTypes']>[number]

/** What presenting a product needs to know beside its rows. */
export type View = {
  readonly people: PeoplePresenter
  /** Of products that set no type of their own. */
  readonly defaultType: string
}

/**
 * The Product objects of the contract, in the order of the rows. Parts that were not read are empty
 * and are left for the selection to drop.
 */
export function presentProducts(rows: ProductRows, view: View): Product[] {
  const componentsOf = Map.groupBy(rows.components ?? [], (row) => row.productId)
  const versionsOf = Map.groupBy(rows.versions ?? [], (row) => row.productId)
  const milestonesOf = Map.groupBy(rows.milestones ?? [], (row) => row.productId)
  const typesFor = createTypeFinder(rows.flagTypes ?? [], rows.flagTypeScopes ?? [])
  return rows.products.map((row) => {
    const defaultType = row.defaultType ?? view.defaultType
    return {
      ...presentProduct(row, defaultType),
      components: (componentsOf.get(row.id) ?? []).map((component) =>
        presentComponent(component, typesFor(component), { ...view, defaultType }),
      ),
      versions: sortInNaturalOrder(versionsOf.get(row.id) ?? []).map(presentVersion),
      milestones: (milestonesOf.get(row.id) ?? []).map(presentVersion),
    }
  })
}

function presentProduct(row: ProductRow, defaultType: string) {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    is_active: row.isActive,
    default_bug_type: defaultType,
    default_milestone: row.defaultMilestone ?? '',
    default_version: row.defaultVersion ?? '',
    has_unconfirmed: row.hasUnconfirmed,
    classification: row.classification ?? '',
  }
}

function presentComponent(row: ComponentRow, types: readonly FlagTypeRow[], view: View) {
  const { people } = view
  const typesOn = (target: FlagTypeRow['target']) =>
    types.filter((type) => type.target === target).map((type) => presentFlagType(type, people))
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    default_assigned_to: people.presentLogin(row.assignee ?? ''),
    default_qa_contact: people.presentLogin(row.qaContact ?? ''),
    triage_owner: people.presentLogin(row.triageOwner ?? ''),
    sort_key: row.sortKey,
    is_active: row.isActive,
    default_bug_type: row.defaultType ?? view.defaultType,
    team_name: row.teamName,
    flag_types: { bug: typesOn('bug'), attachment: typesOn('attachment') },
  }
}

/** Versions and milestones look alike. */
function presentVersion(row: VersionRow) {
  return { id: row.id, name: row.name, sort_key: row.sortKey, is_active: row.isActive }
}

/** The CC list holds addresses, so it is cut where logins are. */
function presentFlagType(row: FlagTypeRow, people: PeoplePresenter): FlagType {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
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
