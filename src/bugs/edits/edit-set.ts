import * as z from 'zod'
import { fault } from '../../faults.ts'
import { names } from '../../http/shapes.ts'
import { hasContent } from '../model/content.ts'

/** Numbers, aliases and keywords hold neither white space nor commas. */
export const BETWEEN_WORDS = /[\s,]+/

/** Each item may be written to 500 bugs at once. */
const MOST_ITEMS = 1000

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

/** Whether the value of a parameter is an edit that `editSet` accepted. */
function isEditSet(value: unknown): value is EditSet<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['add', 'remove', 'set'].some((part) => Array.isArray(value[part as keyof typeof value]))
  )
}

/** Throws fault 53 when one of these parameters is the edit of a list that names too many items. */
export function assertFewItems(
  input: Readonly<Record<string, unknown>>,
  parameters: readonly string[],
): void {
  for (const field of parameters) {
    const value = input[field]
    if (isEditSet(value) && itemsOf(value).length > MOST_ITEMS) {
      throw fault('parameterInvalid', { field, reason: `may name at most ${MOST_ITEMS} items` })
    }
  }
}

/** Every item that an edit names. */
export function itemsOf<Item>({ add, remove, set }: EditSet<Item> = {}): Item[] {
  return [...(add ?? []), ...(remove ?? []), ...(set ?? [])]
}

/**
 * Reduces an edit to additions and removals for a list with these current items. An addition comes before
 * a removal, so what is in both ends up removed. Null when the list stays as it is.
 */
export function normalizeEdit<Item>(
  edit: EditSet<Item>,
  current: readonly Item[],
): { add: Item[]; remove: Item[] } | null {
  const present = new Set(current)
  const added = new Set(edit.set ?? edit.add ?? [])
  const remove =
    edit.set === undefined
      ? [...new Set(edit.remove ?? [])]
      : [...present].filter((item) => !added.has(item))
  const removed = new Set(remove)
  const add = [...added].filter((item) => !removed.has(item))
  const isChange =
    add.some((item) => !present.has(item)) || remove.some((item) => present.has(item))
  return isChange ? { add, remove } : null
}

/** A list that may also come as one text, which `separator` splits. Null is absent. */
export function delimitedList(separator: RegExp) {
  return z
    .preprocess(
      (value) => (typeof value === 'string' ? value.split(separator) : (value ?? undefined)),
      names(),
    )
    .transform((list) => list?.map((item) => item.trim()))
    .meta({ type: 'array', items: { type: 'string' } })
}

/** Like `delimitedList`, where each item of a list may hold several words as well. */
export function wordList(separator: RegExp) {
  return delimitedList(separator)
    .transform((list) =>
      list?.flatMap((item) => item.split(separator)).filter((word) => word !== ''),
    )
    .meta({ type: 'array', items: { type: 'string' } })
}
