import * as z from 'zod'
import { emailInvalid, fault, invalidParameter } from '../../../platform/faults/fault.ts'
import {
  boolean,
  clearableText,
  limitItems,
  limitLength,
  names,
  oneValue,
  text,
} from '../../../platform/http/operations/shapes.ts'
import { cleanBody, cleanLine, lengthOf, textOfAny } from '../../../platform/lib/text.ts'
import {
  flagTypeCcTooLong,
  flagTypeDescriptionMissing,
  flagTypeNameInvalid,
  flagTypeSortKeyInvalid,
} from '../faults.ts'

const MAX_NAME_LENGTH = 50
const MAX_CC_LIST_LENGTH = 200
const MAX_SORT_KEY = 32_767

/** The names of a product and of one of its components; null stands for all of them. */
export type ScopeRef = { readonly product: string; readonly component: string | null }

/** The parameters of a flag type except its name. */
export const typeValues = {
  description: limitLength(text()),
  target_type: text(),
  cc_list: names(),
  sortkey: oneValue().meta({ type: 'integer', minimum: 0, maximum: MAX_SORT_KEY }).optional(),
  /** The name of `sortkey` in responses. */
  sort_key: oneValue().meta({ type: 'integer', minimum: 0, maximum: MAX_SORT_KEY }).optional(),
  is_active: boolean(),
  is_requestable: boolean(),
  is_specifically_requestable: boolean(),
  /** The name of `is_specifically_requestable` in responses. */
  is_requesteeble: boolean(),
  is_multiplicable: boolean(),
  grant_group: clearableText(),
  request_group: clearableText(),
  inclusions: limitItems(scopesInput()),
  exclusions: limitItems(scopesInput()),
}

export type TypeValues = z.output<z.ZodObject<typeof typeValues>>

export function parseTypeName(input: string): string {
  const name = input.trim()
  if (name === '' || lengthOf(name) > MAX_NAME_LENGTH || /[\s,\p{Cc}]/u.test(name)) {
    throw fault(flagTypeNameInvalid, { most: MAX_NAME_LENGTH })
  }
  return name
}

export function parseTypeDescription(input: string): string {
  const description = cleanBody(input)
  if (description.trim() === '') {
    throw fault(flagTypeDescriptionMissing)
  }
  return description
}

export function parseTypeCcList(input: readonly string[]): string {
  const addresses = input.flatMap((item) => cleanLine(item).split(/[\s,]+/)).filter(Boolean)
  const invalid = addresses.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address))
  if (invalid !== undefined) {
    throw fault(emailInvalid, { email: invalid.slice(0, 100) })
  }
  const list = addresses.join(', ')
  if (lengthOf(list) > MAX_CC_LIST_LENGTH) {
    throw fault(flagTypeCcTooLong, { most: MAX_CC_LIST_LENGTH })
  }
  return list
}

/** Undefined for an absent or empty value. */
export function parseTypeSortKey({ sortkey, sort_key }: Partial<TypeValues>): number | undefined {
  const input = sortkey ?? sort_key ?? ''
  if (input === '') {
    return undefined
  }
  const text = textOfAny(input).trim()
  if (!/^\d{1,5}$/.test(text) || Number(text) > MAX_SORT_KEY) {
    throw fault(flagTypeSortKeyInvalid, { value: text.slice(0, 100) })
  }
  return Number(text)
}

/** Bugs by default. */
export function parseTypeTarget(input: string | undefined): 'bug' | 'attachment' {
  const target = input?.trim() || 'bug'
  if (target !== 'bug' && target !== 'attachment') {
    throw invalidParameter('target_type', "is 'bug' or 'attachment'")
  }
  return target
}

/** Names of products, or objects from names of products to names of components; one or a list. */
function scopesInput() {
  return z
    .unknown()
    .transform((value, ctx) => {
      const items = Array.isArray(value) ? value : [value]
      return items.flatMap((item) => parseScopeRefs(item) ?? addScopeIssue(ctx))
    })
    .meta({ type: 'array', items: { type: ['string', 'object'] } })
    .optional()
}

function addScopeIssue(ctx: z.RefinementCtx): ScopeRef[] {
  const message = 'must be a list of products, or of objects that name components of products'
  ctx.addIssue({ code: 'custom', message })
  return []
}

/** Null for an invalid item. A product without components stands for the whole product. */
function parseScopeRefs(item: unknown): ScopeRef[] | null {
  if (item === null || typeof item === 'string') {
    return item === null ? [] : [{ product: item, component: null }]
  }
  if (typeof item !== 'object' || Array.isArray(item)) {
    return null
  }
  const refs = Object.entries(item).map(([product, partNames]): ScopeRef[] | null => {
    const parts: unknown[] = partNames === null ? [] : [partNames].flat()
    if (!parts.every((part) => typeof part === 'string')) {
      return null
    }
    return parts.length === 0
      ? [{ product, component: null }]
      : parts.map((component) => ({ product, component }))
  })
  return refs.includes(null) ? null : refs.flatMap((ref) => ref ?? [])
}
