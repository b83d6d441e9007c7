import { fault } from '../../../platform/faults/fault.ts'
import { rpcCallInvalid } from '../../../platform/http/operations/faults.ts'

/** Scalar types with their parsers, which return undefined for invalid texts. */
const SCALARS: Readonly<Record<string, (text: string) => unknown>> = {
  string: (text) => text,
  int: parseInteger,
  i4: parseInteger,
  i8: parseInteger,
  double: parseDouble,
  boolean: parseBoolean,
  'dateTime.iso8601': parseDatetime,
  nil: () => null,
  'ex:nil': () => null,
}

/** Whether a value of the type is a text in XML. */
export function isScalarType(type: string): boolean {
  return Object.hasOwn(SCALARS, type)
}

export function parseScalar(type: string, text: string): unknown {
  const value = SCALARS[type]?.(type === 'string' ? text : text.trim())
  if (value === undefined) {
    throw fault(rpcCallInvalid, { reason: `'${text.slice(0, 100)}' is no ${type}` })
  }
  return value
}

function parseInteger(text: string): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
}

function parseDouble(text: string): number | undefined {
  const number = Number(text)
  return text !== '' && Number.isFinite(number) ? number : undefined
}

function parseBoolean(text: string): boolean | undefined {
  return text === '1' || text === 'true'
    ? true
    : text === '0' || text === 'false'
      ? false
      : undefined
}

/**
 * Datetimes are in UTC and mostly without separators; the verbs take both forms, and know which days
 * exist.
 */
function parseDatetime(text: string): string | undefined {
  return /^[\d-]+T[\d:.,]+(?:Z|[+-][\d:]+)?$/i.test(text) ? text : undefined
}
