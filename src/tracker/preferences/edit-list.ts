import { invalidParameter } from '../../platform/faults/fault.ts'

/** An item of a stored list. Hidden ones may be removed, but no answer shows them. */
export type Listed<Item> = Item & { readonly isVisible: boolean }

/** What an update does to a list of an account. */
export type AccountListEdit<Item> = {
  readonly added: readonly Item[]
  readonly removed: readonly Listed<Item>[]
}

/** An edit of a list: the whole list, or items to add and to remove. */
export type ListRequest<Item> = {
  readonly wanted: readonly Item[]
  /** Whether the list is to hold `wanted` and nothing else. */
  readonly isSet: boolean
  /** The keys of items to remove, whether the list has them or not. */
  readonly unwanted: ReadonlySet<string>
}

/** The most items of one list of an account. */
const MAX_ITEMS = 1000

/**
 * Decides an edit of the list `field` with these current items. An item that is both added and removed ends
 * up removed.
 */
export function decideListEdit<Item>(
  field: string,
  current: readonly Listed<Item>[],
  { wanted, isSet, unwanted }: ListRequest<Item>,
  keyOf: (item: Item) => string,
): AccountListEdit<Item> {
  const present = new Set(current.map(keyOf))
  const byKey = new Map(wanted.map((item) => [keyOf(item), item]))
  const removed = current.filter((item) =>
    isSet ? !byKey.has(keyOf(item)) : unwanted.has(keyOf(item)),
  )
  const added = [...byKey].flatMap(([key, item]) =>
    present.has(key) || (!isSet && unwanted.has(key)) ? [] : [item],
  )
  if (added.length > 0 && current.length - removed.length + added.length > MAX_ITEMS) {
    throw invalidParameter(field, `may hold at most ${MAX_ITEMS} items`)
  }
  return { added, removed }
}

/** The edit as the caller may see it; undefined without items. */
export function presentListEdit<Item>(
  { added, removed }: AccountListEdit<Item>,
  nameOf: (item: Item) => string,
): { removed: string; added: string } | undefined {
  const visible = removed.filter(({ isVisible }) => isVisible)
  return added.length + visible.length === 0
    ? undefined
    : { removed: visible.map(nameOf).join(', '), added: added.map(nameOf).join(', ') }
}
