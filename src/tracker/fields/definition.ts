import { FIELD_TYPE } from '../../platform/db/schema/fields.ts'
import {
  fault,
  invalidParameter,
  parameterMissing,
  valueBlank,
} from '../../platform/faults/fault.ts'
import { requireMaxLength } from '../../platform/http/operations/require-max-length.ts'
import { cleanLine, fold } from '../../platform/lib/text.ts'

const CUSTOM_TYPES: readonly number[] = Object.values(FIELD_TYPE)
const MAX_NAME_LENGTH = 64
const MAX_DISPLAY_NAME_LENGTH = 255
const MAX_VALUE_LENGTH = 64
const MAX_TYPE_VALUE_LENGTH = 20
const MAX_SORT_KEY = 32_767

/** Parses the name of a custom field, in lower case. Faults 50 when blank, 53 when malformed or too long. */
export function parseFieldName(text: string): string {
  const name = fold(text.trim())
  if (name === '') {
    throw fault(valueBlank, { field: 'name' })
  }
  if (!/^cf_[a-z0-9_]+$/.test(name)) {
    throw invalidParameter('name', "must be 'cf_' with letters, digits and underscores behind it")
  }
  return requireMaxLength('name', name, MAX_NAME_LENGTH)
}

/** Parses the name of a field on forms. Faults 50 when blank, 53 when too long. */
export function parseDisplayName(text: string): string {
  const name = cleanLine(text)
  if (name === '') {
    throw fault(valueBlank, { field: 'display_name' })
  }
  return requireMaxLength('display_name', name, MAX_DISPLAY_NAME_LENGTH)
}

/** Returns the type of a custom field. Faults 50 when missing, 53 for one that no custom field may have. */
export function requireFieldType(type: number | undefined): number {
  if (type === undefined) {
    throw fault(parameterMissing, { field: 'type' })
  }
  if (!CUSTOM_TYPES.includes(type)) {
    throw invalidParameter('type', `must be one of: ${CUSTOM_TYPES.join(', ')}`)
  }
  return type
}

/** Parses the name of a value; `field` is an internal name. Faults 50 when blank, 53 when too long. */
export function parseValueName(field: string, text: string): string {
  const name = cleanLine(text)
  if (name === '') {
    throw fault(valueBlank, { field: 'name' })
  }
  const maxLength = field === 'bug_type' ? MAX_TYPE_VALUE_LENGTH : MAX_VALUE_LENGTH
  return requireMaxLength('name', name, maxLength)
}

/** The sort key that puts an item behind the last one, at most the largest sort key. */
export function computeNextSortKey(last: number, step: number): number {
  return Math.min(MAX_SORT_KEY, last + step)
}
