import type { SQL } from 'drizzle-orm'
import { BUG_TYPES, FIELD_TYPE, type FieldTypeName } from '../../../platform/db/schema/fields.ts'
import { sql } from '../../../platform/db/sql.ts'
import {
  dateInvalid,
  fault,
  notANumber,
  numberTooLarge,
  numberTooSmall,
  textTooLong,
} from '../../../platform/faults/fault.ts'
import { cleanBody, cleanLine, fold, lengthOf } from '../../../platform/lib/text.ts'
import { parseDay, parseMoment, toDatetime, toDay } from '../../../platform/lib/time.ts'
import { EMPTY_CHOICE } from '../../fields/empty-choice.ts'

/** A value as it is stored, and in the form of history. */
export type CustomValue = {
  readonly historyValue: string
  readonly fold: string
  readonly number?: number
  readonly valueId?: number
}

/** A value as a row of bugs holds it: field ID, text, number, name of the choice. */
export type CustomTuple = readonly [number, string | null, number | null, string | null]

/** A text of a client as a value; null for none. Throws a fault that names the field. */
type ParseValue = (field: string, text: string) => CustomValue | null

type CustomFieldType = {
  /** Null where a value is a choice or a bug, which a request looks up in the database. */
  readonly parse: ParseValue | null
  /** What a bug object shows of the rows of one bug. */
  readonly present: (rows: readonly CustomTuple[]) => unknown
}

const MAX_LINE_LENGTH = 255
const MAX_TEXT_LENGTH = 65_535
const MAX_INTEGER = 2 ** 31 - 1

/**
 * Everything in which the types differ, beside what their values are (`CONTENTS` in db/schema/fields.ts, which
 * decides the columns as well).
 */
const TYPES: Readonly<Record<FieldTypeName, CustomFieldType>> = {
  freeText: {
    parse: ofLine((field, line) => limitLength(field, line, lengthOf(line), MAX_LINE_LENGTH)),
    present: ([row]) => row?.[1] ?? '',
  },
  single: {
    parse: null,
    present: ([row]) => row?.[3] ?? EMPTY_CHOICE,
  },
  multi: {
    parse: null,
    present: (rows) => rows.map(([, , , name]) => name),
  },
  largeText: {
    parse: parseLargeText,
    present: ([row]) => row?.[1] ?? '',
  },
  datetime: {
    parse: ofLine((field, line) => {
      const moment = parseMoment(line) ?? throwNoDate(field, line)
      const historyValue = toDatetime(moment)
      return { historyValue, fold: fold(historyValue), number: moment }
    }),
    present: ([row]) => ifAny(row?.[2], toDatetime),
  },
  bugId: {
    parse: null,
    present: ([row]) => row?.[2] ?? null,
  },
  date: {
    parse: ofLine((field, line) => {
      const day = parseDay(line) ?? ifAny(parseMoment(line), toDay) ?? throwNoDate(field, line)
      return { historyValue: day, fold: day }
    }),
    present: ([row]) => ifAny(row?.[1], (day) => `${day}T00:00:00Z`),
  },
  integer: {
    parse: ofLine(parseInteger),
    present: ([row]) => ifAny(row?.[2], String),
  },
}

const TYPES_BY_NUMBER: ReadonlyMap<number, CustomFieldType> = new Map(
  typeNames().map((name) => [FIELD_TYPE[name], TYPES[name]]),
)

/** The type of a custom field; a number that no type has is read and shown as free text. */
export function customFieldType(type: number): CustomFieldType {
  return TYPES_BY_NUMBER.get(type) ?? TYPES.freeText
}

export function holdsBugCondition(type: SQL): SQL {
  return isOneOf(type, BUG_TYPES)
}

function isOneOf(type: SQL, numbers: readonly number[]): SQL {
  return sql`${type} IN (${sql.raw(numbers.join(', '))})`
}

function typeNames(): FieldTypeName[] {
  return Object.keys(TYPES) as FieldTypeName[]
}

/** Parses a text as one line, of which nothing may be left. */
function ofLine(parse: ParseValue): ParseValue {
  return (field, text) => {
    const line = cleanLine(text)
    return line === '' ? null : parse(field, line)
  }
}

function parseLargeText(field: string, text: string): CustomValue | null {
  const body = cleanBody(text)
  if (body.trim() === '') {
    return null
  }
  return limitLength(field, body, Math.max(lengthOf(body), lengthOf(fold(body))), MAX_TEXT_LENGTH)
}

function limitLength(field: string, text: string, length: number, most: number): CustomValue {
  if (length > most) {
    throw fault(textTooLong, { field, length, most })
  }
  return { historyValue: text, fold: fold(text) }
}

function parseInteger(field: string, text: string): CustomValue {
  const value = text.slice(0, 100)
  if (!/^[+-]?\d+(\.0*)?$/.test(text)) {
    throw fault(notANumber, { field, value })
  }
  const number = Number(text) + 0
  if (number > MAX_INTEGER) {
    throw fault(numberTooLarge, { field, value, most: String(MAX_INTEGER) })
  }
  if (number < -MAX_INTEGER - 1) {
    throw fault(numberTooSmall, { field, value, least: String(-MAX_INTEGER - 1) })
  }
  return { historyValue: String(number), fold: String(number), number }
}

function throwNoDate(field: string, text: string): never {
  throw fault(dateInvalid, { field, value: text.slice(0, 100) })
}

function ifAny<Value, Result>(
  value: Value | null | undefined,
  map: (value: Value) => Result,
): Result | null {
  return value === null || value === undefined ? null : map(value)
}
