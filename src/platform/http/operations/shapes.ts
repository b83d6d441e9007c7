import * as z from 'zod'
import { dateInvalid, notACount, notAnInteger, parameterMissing } from '../../faults/fault.ts'
import { parseId } from '../../lib/id-or-name.ts'
import { commaList, lengthOf, textOfAny } from '../../lib/text.ts'
import { parseMoment } from '../../lib/time.ts'
import { MAX_LIST_ITEMS } from '../request/oversized.ts'
import { MAX_LIST_REASON } from './bounds.ts'

/**
 * The shapes of single parameters. They accept what existing clients send (numbers as text, a scalar for a list, a
 * list of one for a scalar, null for absent).
 */

const FALSE_WORDS = ['false', 'no', 'off', '0', '']

/** The faults that a shape names itself; `input.ts` adds the name of the field. */
export type InputFault =
  | typeof parameterMissing
  | typeof dateInvalid
  | typeof notAnInteger
  | typeof notACount

/** Text; numbers are taken as their digits. Null is absent. */
export function text() {
  return z
    .preprocess((value) => toText(value) ?? undefined, z.string().optional())
    .meta({ type: 'string' })
}

/** Like `text`, but required. A blank text is accepted; the verb decides about it. */
export function requiredText() {
  return z.preprocess((value) => toText(value) ?? undefined, z.string()).meta({ type: 'string' })
}

/** Like `text`, but null is kept: on an update it empties the field. */
export function clearableText() {
  return z.preprocess(toText, z.string().nullable().optional()).meta({ type: ['string', 'null'] })
}

const IGNORED = z.unknown().optional()

/**
 * Parameters where rights are given: a misspelled one is refused. What clients send in vain, `ignored`, is taken,
 * such as what a resource shows of itself, so that it can be sent back as it was read; the answer names it as unused.
 */
export function strictInput<Shape extends z.ZodRawShape>(shape: Shape, ...ignored: string[]) {
  const names = ['include_fields', 'exclude_fields', ...ignored]
  const inVain = Object.fromEntries(names.map((name) => [name, IGNORED]))
  return z.strictObject({ ...(inVain as Record<never, z.ZodType>), ...shape })
}

export function isIgnored(shape: unknown): boolean {
  return shape === IGNORED
}

/** Any value but a list, or a list of one, which is its item. The verb parses it. */
export function oneValue() {
  return z.unknown().transform((given, ctx) => {
    const value = takeSingle(given)
    return Array.isArray(value) ? addReason(ctx, 'must be one value, not a list') : value
  })
}

/** The item of a list of one, as clients send it where one value is expected; anything else as it is. */
export function takeSingle(value: unknown): unknown {
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

/** Characters; a comment may have as many. */
const MAX_LENGTH = 65_535
const MAX_ITEMS = 1000

/** Limits the length of a text, such as a description, to 65,535 characters. */
export function limitLength<Shape extends z.ZodType<string | null | undefined>>(
  shape: Shape,
): Shape {
  return refineShape(
    shape,
    (value) => typeof value !== 'string' || lengthOf(value) <= MAX_LENGTH,
    `may have at most ${MAX_LENGTH} characters`,
  )
}

/** Limits a list to 1,000 items. */
export function limitItems<Shape extends z.ZodType<readonly unknown[] | null | undefined>>(
  shape: Shape,
): Shape {
  return refineShape(
    shape,
    (value) => !Array.isArray(value) || value.length <= MAX_ITEMS,
    `may hold at most ${MAX_ITEMS} items`,
  )
}

/** A boolean: JSON booleans, numbers, and the words that clients send. */
export function boolean() {
  return z
    .preprocess((given) => {
      const value = takeSingle(given)
      if (value === undefined || value === null) {
        return undefined
      }
      return typeof value === 'object'
        ? value
        : !FALSE_WORDS.includes(String(value).trim().toLowerCase())
    }, z.boolean().optional())
    .meta({ type: 'boolean' })
}

/** A whole number of 0 or more. */
export function count() {
  return oneValue()
    .transform((value, ctx) =>
      isAbsent(value) ? undefined : parseWholeNumber(value, notACount, ctx),
    )
    .meta({ type: 'integer', minimum: 0 })
    .optional()
}

/** The place of an object among its siblings, from -32768 to 32767. */
export function sortKey() {
  return oneValue()
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
      return addReason(ctx, 'must be a whole number from -32768 to 32767')
    })
    .meta({ type: 'integer', minimum: -32_768, maximum: 32_767 })
    .optional()
}

/** A required ID, a whole number above zero. */
export function id() {
  return oneValue()
    .transform((value, ctx) =>
      isAbsent(value)
        ? addFaultIssue(ctx, parameterMissing, value)
        : parseWholeNumber(value, notAnInteger, ctx),
    )
    .meta({ type: 'integer', minimum: 1 })
}

/** A list of IDs: numbers, digits, or digits joined by commas. */
export function ids() {
  return z
    .unknown()
    .transform((value, ctx) => {
      const items = toList(value)
        .flatMap((item) => (typeof item === 'string' ? item.split(',') : [item]))
        .filter((item) => typeof item !== 'string' || item.trim() !== '')
      return items.length > MAX_LIST_ITEMS
        ? addReason(ctx, MAX_LIST_REASON)
        : items.map((item) => parseWholeNumber(item, notAnInteger, ctx))
    })
    .meta({ type: 'array', items: { type: 'integer' } })
    .optional()
}

/** A list of texts, which may contain commas; a scalar is a list of one, blank texts are dropped. */
export function names() {
  return z
    .unknown()
    .transform(parseTexts)
    .transform((list) => list.filter((item) => item.trim() !== ''))
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

/** Like `names`, for bugs: their IDs or aliases. */
export function bugNames() {
  return names().meta(LIST_OF_BUGS)
}

/** What `names` of bugs are to readers of the API description: IDs may be numbers. */
export const LIST_OF_BUGS = {
  type: 'array',
  items: { type: ['integer', 'string'], title: 'BugReference' },
} as const

/** Like `names`, with blank texts, which may be values of a search. */
export function textList() {
  return z
    .unknown()
    .transform(parseTexts)
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

/** A date or datetime as Unix seconds. */
export function datetime() {
  return oneValue()
    .transform((value, ctx) => {
      if (isAbsent(value)) {
        return undefined
      }
      const seconds = typeof value === 'string' ? parseMoment(value) : null
      return seconds ?? addFaultIssue(ctx, dateInvalid, value)
    })
    .meta({ type: 'string', format: 'date-time' })
    .optional()
}

/** Like `names`, but null is absent, and differs from an empty list. */
export function givenNames() {
  return z
    .preprocess((value) => value ?? undefined, names())
    .meta({ type: 'array', items: { type: 'string' } })
}

/** The changes of an update: each field with its values before and after, as text. */
export const changesOutput = z.record(
  z.string(),
  z.strictObject({ removed: z.string(), added: z.string() }).meta({ title: 'Change' }),
)

/** Objects of one kind, each with its changes. */
export function changedObjects<Name extends string>(name: Name) {
  const list = z.array(z.strictObject({ id: z.int(), changes: changesOutput }))
  return z.strictObject({ [name]: list } as Record<Name, typeof list>)
}

export const selectionInput = {
  include_fields: fieldNames(),
  exclude_fields: fieldNames(),
}

/** Adds a rule to a shape and keeps its JSON schema. */
function refineShape<Shape extends z.ZodType>(
  shape: Shape,
  isValid: (value: unknown) => boolean,
  message: string,
): Shape {
  return shape.refine(isValid, message).meta(shape.meta() ?? {})
}

function fieldNames() {
  return z
    .unknown()
    .transform(parseTexts)
    .transform(commaList)
    .meta({ type: 'array', items: { type: 'string' } })
    .optional()
}

function toText(given: unknown): unknown {
  const value = takeSingle(given)
  return typeof value === 'number' ? String(value) : value
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

function toList(value: unknown): unknown[] {
  if (value === undefined || value === null) {
    return []
  }
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value]
}

/** The texts of a list. Each may be a list of its own, whose items count as those of a long one do. */
function parseTexts(value: unknown, ctx: z.RefinementCtx): string[] {
  const texts = toList(value).flatMap((item) => toTexts(item, ctx))
  const items = texts.reduce(
    (sum, text) => sum + (text.includes(',') ? text.split(',').length : 1),
    0,
  )
  if (items > MAX_LIST_ITEMS) {
    return addReason(ctx, MAX_LIST_REASON)
  }
  return texts.some((text) => text.length > MAX_LENGTH)
    ? addReason(ctx, `may have at most ${MAX_LENGTH} characters`)
    : texts
}

function toTexts(value: unknown, ctx: z.RefinementCtx): string[] {
  if (typeof value === 'string') {
    return [value]
  }
  if (typeof value === 'number' || typeof value === 'boolean') {
    return [String(value)]
  }
  addReason(ctx, 'must be a list of texts')
  return []
}

/** What it returns is no value: a shape that adds an issue has none. */
function addReason(ctx: z.RefinementCtx, message: string): never {
  ctx.addIssue({ code: 'custom', message })
  return z.NEVER
}

function parseWholeNumber(
  value: unknown,
  kind: typeof notAnInteger | typeof notACount,
  ctx: z.RefinementCtx,
): number {
  const number = typeof value === 'number' || typeof value === 'string' ? parseId(`${value}`) : null
  const minimum = kind === notACount ? 0 : 1
  if (number !== null && number >= minimum) {
    return number
  }
  return addFaultIssue(ctx, kind, value)
}

function addFaultIssue(ctx: z.RefinementCtx, kind: InputFault, value: unknown): never {
  ctx.addIssue({ code: 'custom', params: { fault: kind, value: textOfAny(value).slice(0, 100) } })
  return z.NEVER
}
