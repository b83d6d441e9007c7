import * as z from 'zod'
import { names } from '../../http/shapes.ts'
import { hasContent } from '../model/content.ts'

/** Edits of a list as a client sends them. */
export type EditSet<Item = string> = {
  readonly add?: readonly Item[] | undefined
  readonly remove?: readonly Item[] | undefined
  readonly set?: readonly Item[] | undefined
}

/**
 * Edits of a list: what to add, what to remove, or what it is to be. With a separator, each text may name
 * several items. Contract "Bugs", edit sets.
 */
export function editSet(separator?: RegExp) {
  const items = () => split(names(), separator)
  return z
    .preprocess(
      (value) => (hasContent(value) || isEmptying(value) ? value : undefined),
      z.object({ add: items(), remove: items(), set: items() }).optional(),
    )
    .meta({ type: 'object', properties: { add: {}, remove: {}, set: {} } })
}

/** Where an empty list means something, null has to mean something else: nothing given. */
function split(list: ReturnType<typeof names>, separator?: RegExp) {
  return z
    .preprocess((value) => value ?? undefined, list)
    .transform((items) =>
      separator === undefined
        ? items
        : items?.flatMap((item) => item.split(separator)).filter((item) => item !== ''),
    )
}

/** A list that is set to nothing. */
export function isEmptying(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'set' in value && value.set != null
}

/** Every item that an edit names. */
export function itemsOf<Item>({ add, remove, set }: EditSet<Item> = {}): Item[] {
  return [...(add ?? []), ...(remove ?? []), ...(set ?? [])]
}

/**
 * What an edit comes down to for a list that holds something: an addition comes before a removal, so what
 * is in both ends up removed; `set` becomes what leads to it. Null when the list stays as it is.
 */
export function normalizeEdit<Item>(
  edit: EditSet<Item>,
  held: readonly Item[],
): { add: Item[]; remove: Item[] } | null {
  const there = new Set(held)
  const wanted = new Set(edit.set ?? edit.add ?? [])
  const remove =
    edit.set === undefined
      ? [...new Set(edit.remove ?? [])]
      : [...there].filter((item) => !wanted.has(item))
  const gone = new Set(remove)
  const add = [...wanted].filter((item) => !gone.has(item))
  const isChange = add.some((item) => !there.has(item)) || remove.some((item) => there.has(item))
  return isChange ? { add, remove } : null
}
