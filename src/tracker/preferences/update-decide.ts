import {
  type BugRef,
  requireVisibleBugs,
  separateVisibleBugs,
} from '../../platform/access/bug-set.ts'
import type { Person } from '../../platform/access/caller.ts'
import { productDenied } from '../../platform/access/faults.ts'
import type { Changes } from '../../platform/db/audit.ts'
import type { RowsOf } from '../../platform/db/read-batch.ts'
import { fault, invalidParameter } from '../../platform/faults/fault.ts'
import type { EditSet } from '../../platform/http/operations/edit-set.ts'
import { fold, foldName } from '../../platform/lib/text.ts'
import { productPartUnknown } from '../components/faults.ts'
import {
  isOnByDefault,
  isSwitchOnByDefault,
  MAIL_EVENTS,
  MAIL_ROLES,
  type Preference,
} from '../notices/preferences.ts'
import { userUnknown } from '../users/faults.ts'
import {
  type AccountListEdit,
  decideListEdit,
  type ListRequest,
  presentListEdit,
} from './edit-list.ts'
import type { selectPreferences } from './get-load.ts'
import type { selectNamedItems } from './update-load.ts'
import type { PlaceName, PreferencesUpdate } from './update-values.ts'

type Selects = ReturnType<typeof selectPreferences> & ReturnType<typeof selectNamedItems>

/** Everything that a decision rests on. */
type PreferencesRows = { readonly [Name in keyof Selects]: RowsOf<Selects[Name]> }

type WatchedPerson = { readonly id: number; readonly login: string }
type WatchedPlace = {
  readonly productId: number
  readonly componentId: number | null
  readonly product: string
  readonly component: string | null
}
type IgnoredBug = { readonly id: number }

export type PreferencesDecision = {
  readonly ownerId: number
  readonly revision: number
  readonly cells: readonly ChangedCell[]
  readonly watching: AccountListEdit<WatchedPerson>
  readonly places: AccountListEdit<WatchedPlace>
  readonly ignored: AccountListEdit<IgnoredBug>
  /** In the form of the answer. */
  readonly changes: Changes
}

type ChangedCell = PreferencesUpdate['cells'][number] & { readonly isDefault: boolean }

/**
 * Decides an update of the preferences of an account. Hidden products, components and bugs are refused like
 * missing ones.
 */
export function decidePreferences(
  caller: Person,
  update: PreferencesUpdate,
  bugRefs: BugRefs,
  rows: PreferencesRows,
): PreferencesDecision | null {
  const [owner] = rows.owners
  if (owner === undefined) {
    return null
  }
  const cells = decideCells(update, rows)
  const watching = decideListEdit(
    'watching',
    rows.watching,
    requestPeople(update, rows, owner.id),
    ({ id }) => String(id),
  )
  const places = decideListEdit(
    'watching_components',
    rows.places,
    requestPlaces(update, rows),
    keyOfPlace,
  )
  const ignored = decideListEdit(
    'ignored_bugs',
    rows.ignored,
    requestBugs(caller, update, bugRefs, rows),
    ({ id }) => String(id),
  )
  const listChanges = {
    watching: presentListEdit(watching, ({ login }) => login),
    watching_components: presentListEdit(places, ({ product, component }) =>
      component === null ? product : `${product}: ${component}`,
    ),
    ignored_bugs: presentListEdit(ignored, ({ id }) => String(id)),
  }
  const changes: Changes = Object.fromEntries([
    ...cells.map(({ name, isOn }) => [
      name,
      { removed: isOn ? '0' : '1', added: isOn ? '1' : '0' },
    ]),
    ...Object.entries(listChanges).filter(([, change]) => change !== undefined),
  ])
  return { ownerId: owner.id, revision: owner.revision, cells, watching, places, ignored, changes }
}

/** References to bugs to ignore, and behind them those to ignore no longer. */
export type BugRefs = { readonly wanted: readonly BugRef[]; readonly unwanted: readonly BugRef[] }

/** Items to set, or else to add. */
export function wantedOf<Item>(edit: EditSet<Item> | undefined): readonly Item[] {
  return edit?.set ?? edit?.add ?? []
}

function decideCells({ cells }: PreferencesUpdate, rows: PreferencesRows): ChangedCell[] {
  const stored = rows.cells.map((cell): Preference => [cell.role, cell.event, cell.wanted])
  return cells.flatMap((cell) => {
    const { role, event, isOn } = cell
    const byDefault = isOnAtFirst(role, event)
    const before = stored.find(([ofRole, ofEvent]) => ofRole === role && ofEvent === event)
    return (before?.[2] ?? byDefault) === isOn ? [] : [{ ...cell, isDefault: byDefault === isOn }]
  })
}

function isOnAtFirst(roleName: string, eventName: string): boolean {
  const role = MAIL_ROLES.find((known) => known === roleName)
  const event = MAIL_EVENTS.find((known) => known === eventName)
  return role === undefined || event === undefined
    ? isSwitchOnByDefault(eventName)
    : isOnByDefault(role, event)
}

function requestPeople(
  { watching: edit }: PreferencesUpdate,
  { people = [], watching }: PreferencesRows,
  ownerId: number,
): ListRequest<WatchedPerson> {
  const byPlace = new Map(people.map((row) => [row.place, row]))
  const wanted = wantedOf(edit).map((login, place) => {
    const person = byPlace.get(place)
    if (person === undefined) {
      throw fault(userUnknown, { login: login.trim() })
    }
    if (person.id === ownerId) {
      throw invalidParameter('watching', 'may not name the account itself')
    }
    return { id: person.id, login: person.login }
  })
  const unwanted = new Set(edit?.remove?.map(foldName))
  return {
    wanted,
    isSet: edit?.set !== undefined,
    unwanted: keysOf(
      watching,
      ({ login }) => unwanted.has(fold(login)),
      ({ id }) => String(id),
    ),
  }
}

function requestPlaces(
  { places: edit }: PreferencesUpdate,
  { namedPlaces = [], places }: PreferencesRows,
): ListRequest<WatchedPlace> {
  const byPlace = new Map(namedPlaces.map((row) => [row.place, row]))
  const wanted = wantedOf(edit).map((named, place) => {
    const row = byPlace.get(place)
    if (row === undefined) {
      throw fault(productDenied, { product: named.product })
    }
    const { productId, componentId, product, component } = row
    if (named.component !== null && componentId === null) {
      throw fault(productPartUnknown, { kind: 'component', name: named.component, product })
    }
    return { productId, componentId, product, component }
  })
  const unwanted = new Set(edit?.remove?.map(foldPlace))
  return {
    wanted,
    isSet: edit?.set !== undefined,
    unwanted: keysOf(places, (row) => unwanted.has(foldPlace(row)), keyOfPlace),
  }
}

function requestBugs(
  caller: Person,
  { ignored: edit }: PreferencesUpdate,
  { wanted, unwanted }: BugRefs,
  { namedBugs = [] }: PreferencesRows,
): ListRequest<IgnoredBug> {
  const ids = requireVisibleBugs(caller, wanted, namedBugs)
  const behind = namedBugs.map((row) => ({ ...row, place: row.place - wanted.length }))
  const { ids: unwantedIds } = separateVisibleBugs(caller, unwanted, behind)
  return {
    wanted: ids.map((id) => ({ id })),
    isSet: edit?.set !== undefined,
    // an ID tells nothing of the bug, so that a hidden one is removed as well
    unwanted: new Set([...unwantedIds, ...unwanted.flatMap(({ id }) => id ?? [])].map(String)),
  }
}

function keysOf<Row>(
  rows: readonly Row[],
  isMeant: (row: Row) => boolean,
  keyOf: (row: Row) => string,
): Set<string> {
  return new Set(rows.filter(isMeant).map(keyOf))
}

function keyOfPlace({ productId, componentId }: WatchedPlace): string {
  return `${productId}:${componentId ?? ''}`
}

function foldPlace({ product, component }: PlaceName): string {
  return JSON.stringify([fold(product), component === null ? null : fold(component)])
}
