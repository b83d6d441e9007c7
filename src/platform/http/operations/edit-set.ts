import * as z from 'zod'

/** Edits of a list as a client sends them: what to add, what to remove, or what the list is to be. */
export type EditSet<Item = string, Missing = undefined> = {
  readonly add?: readonly Item[] | Missing
  readonly remove?: readonly Item[] | Missing
  readonly set?: readonly Item[] | Missing
}

/** An edit set whose input takes null for a list that is not given. */
type Nullable<Item> = EditSet<Item, null | undefined>

/** The input of an edit set whose lists have the shape `items`. */
export function editSetOf<Items extends z.ZodType>(items: Items) {
  return z.object({ add: items, remove: items, set: items })
}

/** Every item of an edit, including those of lists without effect. */
export function itemsOf<Item>({ add, remove, set }: Nullable<Item> = {}): Item[] {
  return [...(add ?? []), ...(remove ?? []), ...(set ?? [])]
}

export function mapItems<From, To>(
  { add, remove, set }: Nullable<From>,
  mapItem: (item: From) => To,
): EditSet<To> {
  return { add: add?.map(mapItem), remove: remove?.map(mapItem), set: set?.map(mapItem) }
}

/**
 * Reduces an edit to additions and removals for a list with these current items; `set` overrides `add` and `remove`.
 * `prevailing` decides about an item that is both added and removed. Items to add may be present already and items to
 * remove absent. Null when the edit changes nothing.
 */
export function normalizeEdit<Item>(
  { add, remove, set }: Nullable<Item>,
  current: readonly Item[],
  prevailing: 'add' | 'remove' = 'remove',
): { add: Item[]; remove: Item[] } | null {
  const present = new Set(current)
  const toAdd = new Set(set ?? add ?? [])
  const toRemove = new Set(set ? subtract(present, toAdd) : remove)
  const added = prevailing === 'add' ? [...toAdd] : subtract(toAdd, toRemove)
  const removed = prevailing === 'add' ? subtract(toRemove, toAdd) : [...toRemove]
  const isChange =
    added.some((item) => !present.has(item)) || removed.some((item) => present.has(item))
  return isChange ? { add: added, remove: removed } : null
}

function subtract<Item>(items: ReadonlySet<Item>, others: ReadonlySet<Item>): Item[] {
  return [...items].filter((item) => !others.has(item))
}
