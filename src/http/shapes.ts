import * as z from 'zod'
import { parseId } from '../lib/id-or-name.ts'
import { commaList, lengthOf } from '../lib/text.ts'
import { parseMoment } from '../lib/time.ts'

/**
 * The atoms that inputs are made of. They are lenient as clients need it (numbers as text, a scalar for
 * a list, null for absent) and refuse with the contract's own numbers.
 */

const FALSE_WORDS = ['false', 'no', 'off', '0', '']

/** The refusals that an atom chooses by itself; `input.ts` adds the name of the field. */
export type InputFault = 'parameterMissing' | 'dateInvalid' | 'notAnInteger' | 'notACount'

/** Text; numbers are taken as their digits. Null is absent. */
export function text() {
  return z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : (value ?? undefined)),
      z.string().optional(),
    )
    .meta({ type: 'string' })
}

/** Like `text`, but absent is the fault 50. Whether it may be blank is for the verb to say. */
export function requiredText() {
  return z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : (value ?? undefined)),
      z.string(),
    )
    .meta({ type: 'string' })
}

/** Like `text`, but null is kept: on an update it empties the field. */
export function clearableText() {
  return z
    .preprocess(
      (value) => (typeof value === 'number' ? String(value) : value),
      z.string().nullable().optional(),
    )
    .meta({ type: ['string', 'null'] })
}

/** Longer texts are no descriptions; as long as a comment may be. */
const LONGEST_PROSE = 65_535
const MOST_ITEMS = 1000

/** A text of any kind that describes something: fault 53 over 65,535 characters. */
export function prose<Shape extends z.ZodType<string | null | undefined>>(shape: Shape): Shape {
  return refined(
    shape,
    (given) => typeof given !== 'string' || lengthOf(given) <= LONGEST_PROSE,
    `may have at most ${LONGEST_PROSE} characters`,
  )
}

/** A list of any kind in one edit: fault 53 over 1,000 items. */
export function few<Shape extends z.ZodType<readonly unknown[] | null | undefined>>(
  shape: Shape,
): Shape {
  return refined(
    shape,
    (given) => !Array.isArray(given) || given.length <= MOST_ITEMS,
    `may hold at most ${MOST_ITEMS} items`,
  )
}

/** A truth value: JSON booleans, numbers, and the words that clients send. */
export function flag() {
  return z
    .preprocess((value) => {
      if (value === undefined || value === null) {
        return undefined
      }
      return typeof value === 'object'
        ? value
        : !FALSE_WORDS.includes(String(value).trim().toLowerCase())
    }, z.boolean().optional())
    .meta({ type: 'boolean' })
}

/** A whole number of 0 or more, or the fault 52. */
export function count() {
  return z
    .unknown()
    .transform((value, ctx) => (isAbsent(value) ? undefined : wholeNumber(value, 'notACount', ctx)))
    .meta({ type: 'integer', minimum: 0 })
    .optional()
}

/** Where an object stands among its siblings: a whole number from -32768 to 32767, or the fault 53. */
export function sortKey() {
  return z
    .unknown()
    .transform((value, ctx) => {
      if (isAbsent(value)) {
        return undefined
      }
      const digits = typeof value === 'number' ? String(value) : value
      if (typeof digits === 'string' && /^\s*-?\d{1,5}\s*$/.test(digits)) {
        const place = Number(digits)
        if (place >= -32_768 && place <= 32_767) {
          return place
        }
      }
      ctx.addIssue({ code: 'custom', message: 'must be a whole number from -32768 to 32767' })
      return z.NEVER
    })
    .meta({ type: 'integer', minimum: -32_768, maximum: 32_767 })
    .optional()
}

/** An ID that must be there: a whole number above zero, or the fault 52; 50 when it is missing. */
export function id() {
  return z
    .unknown()
    .transform((value, ctx) =>
      isAbsent(value)
        ? refuse(ctx, 'parameterMissing', value)
        : wholeNumber(value, 'notAnInteger', ctx),
    )
    .meta({ type: 'integer', minimum: 1 })
}

/** A list of IDs: numbers, digits, or digits joined by commas. */
export function ids() {
  return z
    .unknown()
    .transform((value, ctx) =>
      elements(value)
        .flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))
        .filter((item) => typeof item !== 'string' || item.trim() !== '')
        .map((item) => wholeNumber(item, 'notAnInteger', ctx)),
    )
    .meta({ type: 'array', items: { type: 'integer' } })
    .optional()
}

/** A list of texts that may hold commas themselves; a scalar is a list of one, empty elements vanish. */
export function names() {
  return z
    .unknown()
    .transform((value, ctx) => elements(value).flatMap((item) => plainText(item, ctx)))
    .transform((list) => list.filter((item) => item.trim() !== ''))
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

/** Every value that was given for a search criterion, blank ones included. */
export function criteria() {
  return z
    .unknown()
    .transform((value, ctx) => elements(value).flatMap((item) => plainText(item, ctx)))
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

/** A date or datetime as Unix seconds, or the fault 56. */
export function moment() {
  return z
    .unknown()
    .transform((value, ctx) => {
      if (isAbsent(value)) {
        return undefined
      }
      const seconds = typeof value === 'string' ? parseMoment(value) : null
      return seconds ?? refuse(ctx, 'dateInvalid', value)
    })
    .meta({ type: 'string', format: 'date-time' })
    .optional()
}

/** What an update changed: each field with its value before and after, as text. */
export const changesOutput = z.record(
  z.string(),
  z.strictObject({ removed: z.string(), added: z.string() }),
)

/** `include_fields` and `exclude_fields` of the contract ("Conventions"). */
export const selectionInput = {
  include_fields: fieldNames(),
  exclude_fields: fieldNames(),
}

/** Describes itself as the shape did. */
function refined<Shape extends z.ZodType>(
  shape: Shape,
  fits: (given: unknown) => boolean,
  otherwise: string,
): Shape {
  return shape.refine(fits, otherwise).meta(shape.meta() ?? {})
}

function fieldNames() {
  return z
    .unknown()
    .transform((value, ctx) => commaList(elements(value).flatMap((item) => plainText(item, ctx))))
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function elements(value: unknown): unknown[] {
  if (value === undefined || value === null) {
    return []
  }
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value]
}

function plainText(value: unknown, ctx: z.RefinementCtx): string[] {
  if (typeof value === 'string') {
    return [value]
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return [String(value)]
  }
  ctx.addIssue({ code: 'custom', message: 'must be a list of texts' })
  return []
}

function wholeNumber(
  value: unknown,
  otherwise: 'notAnInteger' | 'notACount',
  ctx: z.RefinementCtx,
): number {
  const number = typeof value === 'number' || typeof value === 'string' ? parseId(`${value}`) : null
  const least = otherwise === 'notACount' ? 0 : 1
  if (number !== null && number >= least) {
    return number
  }
  return refuse(ctx, otherwise, value)
}

function refuse(ctx: z.RefinementCtx, name: InputFault, value: unknown): never {
  const told = typeof value === 'object' ? JSON.stringify(value) : String(value)
  ctx.addIssue({ code: 'custom', params: { fault: name, value: told.slice(0, 100) } })
  return z.NEVER
}
