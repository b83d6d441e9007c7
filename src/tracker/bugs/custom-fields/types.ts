import type { SQL } from 'drizzle-orm'
import { customValues } from '../../../platform/db/schema/bugs.ts'
import {
  BUG_TYPES,
  FIELD_TYPE,
  type FieldTypeName,
  fieldValues,
} from '../../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
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

const c = aliasColumns(customValues, 'c')
const v = aliasColumns(fieldValues, 'v')

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
  /** The value in a row `c` of `custom_values` in the form of history. */
  readonly historyForm: SQL
  /** What a bug object shows of the rows of one bug. */
  readonly present: (rows: readonly CustomTuple[]) => unknown
}

const MAX_LINE_LENGTH = 255
const MAX_TEXT_LENGTH = 65_535
const MAX_INTEGER = 2 ** 31 - 1

const CHOICE_NAME = sql`(SELECT ${v.name} FROM field_values v WHERE ${v.id} = ${c.valueId})`
const DATETIME = sql`strftime('%Y-%m-%dT%H:%M:%SZ', ${c.number}, 'unixepoch')`
const WHOLE_NUMBER = sql`CAST(CAST(${c.number} AS INTEGER) AS TEXT)`
const TEXT = sql`${c.text}`

/**
 * Everything in which the types differ, beside what their values are (`CONTENTS` in db/schema/fields.ts, which
 * decides the columns as well).
 */
const TYPES: Readonly<Record<FieldTypeName, CustomFieldType>> = {
  freeText: {
    parse: ofLine((field, line) => limitLength(field, line, lengthOf(line), MAX_LINE_LENGTH)),
    historyForm: TEXT,
    present: ([row]) => row?.[1] ?? '',
  },
  single: {
    parse: null,
    historyForm: CHOICE_NAME,
    present: ([row]) => row?.[3] ?? EMPTY_CHOICE,
  },
  multi: {
    parse: null,
    historyForm: CHOICE_NAME,
    present: (rows) => rows.map(([, , , name]) => name),
  },
  largeText: {
    parse: parseLargeText,
    historyForm: TEXT,
    present: ([row]) => row?.[1] ?? '',
  },
  datetime: {
    parse: ofLine((field, line) => {
      const moment = parseMoment(line) ?? throwNoDate(field, line)
      const historyValue = toDatetime(moment)
      return { historyValue, fold: fold(historyValue), number: moment }
    }),
    historyForm: DATETIME,
    present: ([row]) => ifAny(row?.[2], toDatetime),
  },
  bugId: {
    parse: null,
    historyForm: WHOLE_NUMBER,
    present: ([row]) => row?.[2] ?? null,
  },
  date: {
    parse: ofLine((field, line) => {
      const day = parseDay(line) ?? ifAny(parseMoment(line), toDay) ?? throwNoDate(field, line)
      return { historyValue: day, fold: day }
    }),
    historyForm: TEXT,
    present: ([row]) => ifAny(row?.[1], (day) => `${day}T00:00:00Z`),
  },
  integer: {
    parse: ofLine(parseInteger),
    historyForm: WHOLE_NUMBER,
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

/** The value in a row `c` of `custom_values`, of a field of this type, in the form of history. */
export function historyValueOf(type: SQL): SQL<string> {
  const byForm = Map.groupBy(typeNames(), (name) => TYPES[name].historyForm)
  const cases = [...byForm]
    .filter(([form]) => form !== CHOICE_NAME && form !== TEXT)
    .map(([form, names]) => {
      const numbers = names.map((name) => FIELD_TYPE[name])
      return sql`WHEN ${isOneOf(type, numbers)} THEN ${form}`
    })
  // a row with a choice keeps it, even if the type of its field has changed
  return sql<string>`CASE WHEN ${c.valueId} IS NOT NULL THEN ${CHOICE_NAME}
    ${sql.join(cases, sql` `)} ELSE ${TEXT} END`
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
