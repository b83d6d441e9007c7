import * as z from 'zod'
import { boolean, count, text } from '../../platform/http/operations/shapes.ts'

/** Flags that one request may set. With 500 bugs they still fit into one statement. */
const MAX_FLAGS = 50

const flagInput = z.object({
  id: count(),
  type_id: count(),
  name: text(),
  status: text(),
  requestee: text(),
  new: boolean(),
})

export type FlagInput = z.output<typeof flagInput>

/** An entry in the API description. */
const DESCRIBED_FLAG = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    type_id: { type: 'integer', minimum: 1 },
    name: { type: 'string' },
    status: { type: 'string', enum: ['?', '+', '-', 'X'] },
    requestee: { type: 'string' },
    new: { type: 'boolean' },
  },
} as const

/**
 * A list of flag entries, or one entry. Null and an empty list are ignored. `applyEntry` checks all but the
 * form of IDs.
 */
export function flagInputs() {
  return z
    .preprocess(
      (value) => toList(value),
      z
        .array(flagInput)
        .refine((list) => list.length <= MAX_FLAGS, `may set at most ${MAX_FLAGS} flags`)
        .optional(),
    )
    .meta({ type: 'array', items: DESCRIBED_FLAG })
}

function toList(value: unknown): unknown {
  if (value === undefined || value === null || value === '') {
    return undefined
  }
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value]
}
