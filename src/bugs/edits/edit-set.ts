import * as z from 'zod'
import { editSetOf } from '../../http/edit-set.ts'
import { names } from '../../http/shapes.ts'
import { hasContent } from '../model/content.ts'

/**
 * Edits of a list: what to add, what to remove, or what it is to be. With a separator, each text may name
 * several items. Contract "Bugs", edit sets.
 */
export function editSet(separator?: RegExp) {
  return z
    .preprocess(
      (value) => (hasContent(value) || isEmptying(value) ? value : undefined),
      editSetOf(split(names(), separator)).optional(),
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
