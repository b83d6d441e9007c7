import { type BugRef, parseBugRef } from '../../../platform/access/bug-set.ts'
import { invalidParameter } from '../../../platform/faults/fault.ts'
import type { CustomValue } from './types.ts'

/** Custom fields by their names, each with the texts that were given; none clears the field. */
export type CustomInput = Readonly<Record<`cf_${string}`, readonly string[]>>

const MAX_REF_LENGTH = 64

/** Whether a parameter may be the name of a custom field. */
export function isCustomField(parameter: string): boolean {
  return /^cf_\w+$/i.test(parameter)
}

/** The custom fields of an input, each a text or a list of texts. */
export function parseCustomInput(input: Readonly<Record<string, unknown>>): CustomInput {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([key, value]) => isCustomField(key) && value !== undefined)
      .map(([key, value]) => [key.toLowerCase(), textsOf(key, value)]),
  )
}

/** Like `parseCustomInput` for a new bug, where null is the same as absent. */
export function parseNewCustomInput(input: Readonly<Record<string, unknown>>): CustomInput {
  return parseCustomInput(
    Object.fromEntries(Object.entries(input).filter(([, value]) => value !== null)),
  )
}

/** Every possible name of a choice: the texts themselves, and what stands between their commas. */
export function textsIn(input: CustomInput): { field: string; text: string }[] {
  return Object.entries(input).flatMap(([field, texts]) =>
    [...texts, ...choicesIn(texts)].map((text) => ({ field, text: text.trim() })),
  )
}

/** Every text that may name a bug. */
export function refsIn(input: CustomInput): BugRef[] {
  return Object.values(input).flatMap(([text]) =>
    text !== undefined && text.trim() !== '' && text.length <= MAX_REF_LENGTH
      ? [parseBugRef(text)]
      : [],
  )
}

/** The names in the value of a field of many choices: a list as it is, a text cut at its commas. */
export function choicesIn(texts: readonly string[]): string[] {
  const names = texts.length === 1 ? texts.flatMap((text) => text.split(',')) : texts
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function textsOf(field: string, value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item) => {
    if (item === null || item === undefined) {
      return []
    }
    if (typeof item === 'object') {
      throw invalidParameter(field, 'must be a text or a list of texts')
    }
    return [String(item)]
  })
}

export function isSameValue(
  current: readonly { readonly historyValue: string }[],
  next: readonly CustomValue[],
): boolean {
  const values = new Set(current.map((row) => row.historyValue))
  return values.size === next.length && next.every((value) => values.has(value.historyValue))
}
