import * as z from 'zod'

/** Edits of a list as a client sends them: what to add, what to remove, or what the list is to be. */
export type EditSet<Item = string, Missing = undefined> = {
  readonly add?: readonly Item[] | Missing
  readonly remove?: readonly Item[] | Missing
  readonly set?: readonly Item[] | Missing
}

/** An edit set whose input takes null for a list that is not given. */
type Nullable<Item> = EditSet<Item, null | undefined>

/** The input of an edit set; each of its lists is read by `items`, other keys count for nothing. */
export function editSetOf<Items extends z.ZodType>(items: Items) {
  return z.object({ add: items, remove: items, set: items })
}

/** Every item that an edit names, be it in a list that has no effect. */
export function itemsOf<Item>({ add, remove, set }: Nullable<Item> = {}): Item[] {
  return [...(add ?? []), ...(remove ?? []), ...(set ?? [])]
}

/** The same edit with other items, read in the order of `add`, `remove` and `set`. */
export function mapItems<From, To>(
  { add, remove, set }: Nullable<From>,
  read: (item: From) => To,
): EditSet<To> {
  return { add: add?.map(read), remove: remove?.map(read), set: set?.map(read) }
}

/**
 * Reduces an edit to additions and removals for a list with these current items; where `set` is given,
 * nothing else counts. `prevailing` decides about an item that is both added and removed. Items to add
 * may be there and items to remove missing. Null when the list stays as it is.
 */
export function normalizeEdit<Item>(
  { add: added, remove: removed, set }: Nullable<Item>,
  current: readonly Item[],
  prevailing: 'add' | 'remove' = 'remove',
): { add: Item[]; remove: Item[] } | null {
  const present = new Set(current)
  const wanted = new Set(set ?? added ?? [])
  const unwanted = new Set(set ? without(present, wanted) : removed)
  const add = prevailing === 'add' ? [...wanted] : without(wanted, unwanted)
  const remove = prevailing === 'add' ? without(unwanted, wanted) : [...unwanted]
  const isChange =
    add.some((item) => !present.has(item)) || remove.some((item) => present.has(item))
  return isChange ? { add, remove } : null
}

function without<Item>(items: ReadonlySet<Item>, others: ReadonlySet<Item>): Item[] {
  return [...items].filter((item) => !others.has(item))
}
