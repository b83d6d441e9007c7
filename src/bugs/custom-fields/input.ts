import { type BugRef, parseBugRef } from '../../access/bug-set.ts'
import { FIELD_TYPE } from '../../db/schema/fields.ts'
import { fault } from '../../faults.ts'
import { cleanBody, cleanLine, fold, lengthOf } from '../../lib/text.ts'
import { parseDay, parseMoment, toDatetime, toDay } from '../../lib/time.ts'

/** Custom fields by their names, each with the texts that were given; none clears the field. */
export type CustomInput = Readonly<Record<`cf_${string}`, readonly string[]>>

/** A value as it is stored, and in the form of history. */
export type CustomValue = {
  readonly historyValue: string
  readonly fold: string
  readonly number?: number
  readonly valueId?: number
}

const LONGEST_LINE = 255
const LONGEST_TEXT = 65_535
const LONGEST_REF = 64
const LARGEST = 2 ** 31 - 1

/** Whether a parameter may be the name of a custom field. */
export function isCustomField(parameter: string): boolean {
  return /^cf_\w+$/i.test(parameter)
}

/** The custom fields of an input; fault 53 for what is neither a text nor a list of texts. */
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
    text !== undefined && text.trim() !== '' && text.length <= LONGEST_REF
      ? [parseBugRef(text)]
      : [],
  )
}

/** The names in the value of a field of many choices: a list as it is, a text cut at its commas. */
export function choicesIn(texts: readonly string[]): string[] {
  const names = texts.length === 1 ? texts.flatMap((text) => text.split(',')) : texts
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

/**
 * The value of a field that holds neither a choice nor a bug; null for none. Faults 52, 54, 55, 56 and
 * 104. Reference: bugs.md, "Custom fields".
 */
export function parsePlainValue(field: string, type: number, text: string): CustomValue | null {
  const line = cleanLine(text)
  if (type === FIELD_TYPE.largeText) {
    const body = cleanBody(text)
    return body.trim() === '' ? null : within(field, body, LONGEST_TEXT)
  }
  if (line === '') {
    return null
  }
  switch (type) {
    case FIELD_TYPE.datetime:
      return dated(field, line, parseMoment(line))
    case FIELD_TYPE.date: {
      const moment = parseMoment(line)
      const day = parseDay(line) ?? (moment === null ? null : toDay(moment))
      return day === null ? dated(field, line, null) : { historyValue: day, fold: day }
    }
    case FIELD_TYPE.integer:
      return whole(field, line)
    default:
      return within(field, line, LONGEST_LINE)
  }
}

function textsOf(field: string, value: unknown): string[] {
  const items = Array.isArray(value) ? value : [value]
  return items.flatMap((item) => {
    if (item === null || item === undefined) {
      return []
    }
    if (typeof item === 'object') {
      throw fault('parameterInvalid', { field, reason: 'must be a text or a list of texts' })
    }
    return [String(item)]
  })
}

function within(field: string, text: string, most: number): CustomValue {
  const length = Math.max(lengthOf(text), most === LONGEST_TEXT ? lengthOf(fold(text)) : 0)
  if (length > most) {
    throw fault('textTooLong', { field, length, most })
  }
  return { historyValue: text, fold: fold(text) }
}

function dated(field: string, text: string, moment: number | null): CustomValue {
  if (moment === null) {
    throw fault('dateInvalid', { field, value: text.slice(0, 100) })
  }
  const historyValue = toDatetime(moment)
  return { historyValue, fold: fold(historyValue), number: moment }
}

function whole(field: string, text: string): CustomValue {
  const value = text.slice(0, 100)
  if (!/^[+-]?\d+(\.0*)?$/.test(text)) {
    throw fault('notANumber', { field, value })
  }
  const number = Number(text) + 0
  if (number > LARGEST) {
    throw fault('numberTooLarge', { field, value, most: String(LARGEST) })
  }
  if (number < -LARGEST - 1) {
    throw fault('numberTooSmall', { field, value, least: String(-LARGEST - 1) })
  }
  return { historyValue: String(number), fold: String(number), number }
}

/** Whether the current values of a field are the new ones. */
export function isSameValue(
  current: readonly { readonly historyValue: string }[],
  next: readonly CustomValue[],
): boolean {
  const values = new Set(current.map((row) => row.historyValue))
  return values.size === next.length && next.every((value) => values.has(value.historyValue))
}
