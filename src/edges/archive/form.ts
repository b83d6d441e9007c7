import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { parseDay, parseMoment, toDatetime } from '../../platform/lib/time.ts'

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** A value as a column stores it. */
export type Cell = string | number | null

/** How a value stands in the archive, and how it is stored. Null is left to the column. */
export type StoredForm = {
  /** Completes "must be …". */
  readonly expected: string
  present(stored: string | number): JsonValue
  /** Undefined for what does not fit. */
  parse(value: JsonValue): Cell | undefined
}

const NUL = '\0'

export const texts: StoredForm = {
  expected: 'a text without NUL characters',
  present: (stored) => stored,
  parse: (value) => (typeof value === 'string' && !value.includes(NUL) ? value : undefined),
}

export const integers: StoredForm = {
  expected: 'a whole number',
  present: (stored) => stored,
  parse: (value) => (Number.isSafeInteger(value) ? (value as number) : undefined),
}

/** The number of a row: what is below 1 belongs to the import itself. */
export const rowIds: StoredForm = {
  expected: 'a whole number above 0',
  present: (stored) => stored,
  parse: (value) =>
    Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined,
}

const numbers: StoredForm = {
  expected: 'a number',
  present: (stored) => stored,
  parse: (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined),
}

const booleans: StoredForm = {
  expected: 'true or false',
  present: (stored) => stored === 1,
  parse: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
}

export const times: StoredForm = {
  expected: 'a time such as 2026-03-01T12:00:00Z',
  present: (stored) => toDatetime(Number(stored)),
  parse: (value) => (typeof value === 'string' ? (parseMoment(value) ?? undefined) : undefined),
}

export const days: StoredForm = {
  expected: 'a day such as 2026-03-01',
  present: (stored) => stored,
  parse: (value) => (typeof value === 'string' ? (parseDay(value) ?? undefined) : undefined),
}

/** JSON in a column of text. */
export const documents: StoredForm = {
  expected: 'an object or a list',
  present: (stored) => JSON.parse(String(stored)) as JsonValue,
  parse: (value) =>
    typeof value === 'object' && value !== null ? JSON.stringify(value) : undefined,
}

/** The form that follows from a column: its type, and its name, which ends in `At` for Unix seconds. */
export function formOfColumn(key: string, column: SQLiteColumn): StoredForm {
  if (column.dataType === 'boolean') {
    return booleans
  }
  if (column.enumValues !== undefined) {
    return oneOf(column.enumValues)
  }
  if (column.dataType === 'string') {
    return texts
  }
  if (column.columnType === 'SQLiteReal') {
    return numbers
  }
  return key.endsWith('At') ? times : integers
}

function oneOf(values: readonly string[]): StoredForm {
  return {
    expected: `one of ${values.map((value) => `'${value}'`).join(', ')}`,
    present: (stored) => stored,
    parse: (value) => (typeof value === 'string' && values.includes(value) ? value : undefined),
  }
}
