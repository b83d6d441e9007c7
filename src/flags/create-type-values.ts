import * as z from 'zod'
import { fault } from '../faults.ts'
import { boolean, clearableText, limitItems, limitLength, names, text } from '../http/shapes.ts'
import { cleanBody, cleanLine, lengthOf } from '../lib/text.ts'

const LONGEST_NAME = 50
const LONGEST_CC_LIST = 200
const LARGEST_SORT_KEY = 32_767

/** A product, or one component of it, by name. */
export type NamedScope = { readonly product: string; readonly component: string | null }

/** What can be given of a flag type, beside its name. Administration API "Flag types". */
export const typeValues = {
  description: limitLength(text()),
  target_type: text(),
  cc_list: names(),
  sortkey: z.unknown().meta({ type: 'integer', minimum: 0, maximum: LARGEST_SORT_KEY }).optional(),
  /** What responses call `sortkey`. */
  sort_key: z.unknown().meta({ type: 'integer', minimum: 0, maximum: LARGEST_SORT_KEY }).optional(),
  is_active: boolean(),
  is_requestable: boolean(),
  is_specifically_requestable: boolean(),
  /** What responses call `is_specifically_requestable`. */
  is_requesteeble: boolean(),
  is_multiplicable: boolean(),
  grant_group: clearableText(),
  request_group: clearableText(),
  inclusions: limitItems(scopes()),
  exclusions: limitItems(scopes()),
}

export type TypeValues = z.output<z.ZodObject<typeof typeValues>>

/** Fault 1101 for a name that is blank, too long, or more than one word. */
export function typeName(given: string): string {
  const name = given.trim()
  if (name === '' || lengthOf(name) > LONGEST_NAME || /[\s,\p{Cc}]/u.test(name)) {
    throw fault('flagTypeNameInvalid', { most: LONGEST_NAME })
  }
  return name
}

/** Fault 1102 when blank. */
export function typeDescription(given: string): string {
  const description = cleanBody(given)
  if (description.trim() === '') {
    throw fault('flagTypeDescriptionMissing')
  }
  return description
}

/** Addresses in a row. Faults 501 for one that is none, 1103 when it is too long. */
export function typeCcList(given: readonly string[]): string {
  const addresses = given.flatMap((item) => cleanLine(item).split(/[\s,]+/)).filter(Boolean)
  const wrong = addresses.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address))
  if (wrong !== undefined) {
    throw fault('emailInvalid', { email: wrong.slice(0, 100) })
  }
  const list = addresses.join(', ')
  if (lengthOf(list) > LONGEST_CC_LIST) {
    throw fault('flagTypeCcTooLong', { most: LONGEST_CC_LIST })
  }
  return list
}

/** Undefined when none is given; fault 1104. */
export function typeSortKey({ sortkey, sort_key }: Partial<TypeValues>): number | undefined {
  const given = sortkey ?? sort_key ?? ''
  if (given === '') {
    return undefined
  }
  const told = typeof given === 'object' ? JSON.stringify(given) : String(given).trim()
  if (!/^\d{1,5}$/.test(told) || Number(told) > LARGEST_SORT_KEY) {
    throw fault('flagTypeSortKeyInvalid', { value: told.slice(0, 100) })
  }
  return Number(told)
}

/** What flags of the type are set on; fault 53. */
export function typeTarget(given: string | undefined): 'bug' | 'attachment' {
  const target = given?.trim() || 'bug'
  if (target !== 'bug' && target !== 'attachment') {
    throw fault('parameterInvalid', { field: 'target_type', reason: "is 'bug' or 'attachment'" })
  }
  return target
}

/** Products by name, or objects that give components for them: in a list or alone. */
function scopes() {
  return z
    .unknown()
    .transform((value, ctx) => {
      const items = Array.isArray(value) ? value : [value]
      return items.flatMap((item) => scopesIn(item) ?? wrong(ctx))
    })
    .meta({ type: 'array', items: { type: ['string', 'object'] } })
    .optional()
}

function wrong(ctx: z.RefinementCtx): NamedScope[] {
  const message = 'must be a list of products, or of objects that name components of products'
  ctx.addIssue({ code: 'custom', message })
  return []
}

/** Null for what is neither. No component at all means the whole product. */
function scopesIn(item: unknown): NamedScope[] | null {
  if (item === null || typeof item === 'string') {
    return item === null ? [] : [{ product: item, component: null }]
  }
  if (typeof item !== 'object' || Array.isArray(item)) {
    return null
  }
  const found = Object.entries(item).map(([product, given]): NamedScope[] | null => {
    const parts: unknown[] = given === null ? [] : [given].flat()
    if (!parts.every((part) => typeof part === 'string')) {
      return null
    }
    return parts.length === 0
      ? [{ product, component: null }]
      : parts.map((component) => ({ product, component }))
  })
  return found.includes(null) ? null : found.flatMap((own) => own ?? [])
}
