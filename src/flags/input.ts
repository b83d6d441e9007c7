import * as z from 'zod'
import { boolean, count, text } from '../http/shapes.ts'

/** Flags that one request may set: with 500 bugs they still fit into one statement. */
const MOST_FLAGS = 50

const flagInput = z.object({
  id: count(),
  type_id: count(),
  name: text(),
  status: text(),
  requestee: text(),
  new: boolean(),
})

/** One flag as a caller wants it. Contract "Attachments", Flag input object. */
export type FlagInput = z.output<typeof flagInput>

/**
 * The parameter `flags` or `bug_flags`: a list of flag input objects, or one. Null and an empty list are
 * nothing. What is wrong with an entry is for the rules to say, but for IDs that are no numbers (52).
 */
export function flagInputs() {
  return z
    .preprocess(
      (value) => listed(value),
      z
        .array(flagInput)
        .refine((list) => list.length <= MOST_FLAGS, `may set at most ${MOST_FLAGS} flags`)
        .optional(),
    )
    .meta({ type: 'array', items: { type: 'object' } })
}

function listed(value: unknown): unknown {
  if (value === undefined || value === null || value === '') {
    return undefined
  }
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value]
}
