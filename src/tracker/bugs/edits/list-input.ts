import * as z from 'zod'
import { invalidParameter } from '../../../platform/faults/fault.ts'
import { type EditSet, editSetOf, itemsOf } from '../../../platform/http/operations/edit-set.ts'
import { names } from '../../../platform/http/operations/shapes.ts'
import { hasContent } from '../model/content.ts'

/** Numbers, aliases and keywords hold neither white space nor commas. */
export const BETWEEN_WORDS = /[\s,]+/

/** Each item may be written to 500 bugs at once. */
const MAX_ITEMS = 1000

/**
 * Edits of a list: `add` and `remove`, or the whole list. With a separator, each text may name several items.
 */
export function editSet(separator?: RegExp) {
  return orNothing(editSetOf(split(names(), separator)))
}

/** Like `editSet`, but refuses what is no list of an edit. */
export function strictEditSet() {
  return orNothing(editSetOf(split(names())).strict())
}

/** Without content, an edit is none. */
function orNothing<Edit extends z.ZodType>(edit: Edit) {
  return z
    .preprocess(
      (value) => (hasContent(value) || isEmptying(value) ? value : undefined),
      edit.optional(),
    )
    .meta(describeEditSet({ type: 'array', items: { type: 'string' } }))
}

/** An edit set in the API description, with lists of this kind. */
export function describeEditSet(list: Readonly<Record<string, unknown>>) {
  return { type: 'object', properties: { add: list, remove: list, set: list } } as const
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
function isEmptying(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'set' in value && value.set != null
}

function isEditSet(value: unknown): value is EditSet<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['add', 'remove', 'set'].some((part) => Array.isArray(value[part as keyof typeof value]))
  )
}

/** Refuses an edit of one of these parameters that names too many items. */
export function assertFewItems(
  input: Readonly<Record<string, unknown>>,
  parameters: readonly string[],
): void {
  for (const field of parameters) {
    const value = input[field]
    if (isEditSet(value) && itemsOf(value).length > MAX_ITEMS) {
      throw invalidParameter(field, `may name at most ${MAX_ITEMS} items`)
    }
  }
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
