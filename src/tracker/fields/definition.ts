import { FIELD_TYPE } from '../../platform/db/schema/fields.ts'
import { requireLine, requireMaxLength } from '../../platform/faults/checks.ts'
import {
  fault,
  invalidParameter,
  parameterMissing,
  valueBlank,
} from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'

const CUSTOM_TYPES: readonly number[] = Object.values(FIELD_TYPE)
const MAX_NAME_LENGTH = 64
const MAX_DISPLAY_NAME_LENGTH = 255
const MAX_VALUE_LENGTH = 64
const MAX_TYPE_VALUE_LENGTH = 20
const MAX_SORT_KEY = 32_767

/** Parses the name of a custom field, in lower case. */
export function parseCustomFieldName(text: string): string {
  const name = fold(text.trim())
  if (name === '') {
    throw fault(valueBlank, { field: 'name' })
  }
  if (!/^cf_[a-z0-9_]+$/.test(name)) {
    throw invalidParameter('name', "must be 'cf_' with letters, digits and underscores behind it")
  }
  return requireMaxLength('name', name, MAX_NAME_LENGTH)
}

/** Parses the name of a field on forms. */
export function parseDisplayName(text: string): string {
  return requireLine('display_name', text, MAX_DISPLAY_NAME_LENGTH)
}

/** Returns the type of a custom field. */
export function requireFieldType(type: number | undefined): number {
  if (type === undefined) {
    throw fault(parameterMissing, { field: 'type' })
  }
  if (!CUSTOM_TYPES.includes(type)) {
    throw invalidParameter('type', `must be one of: ${CUSTOM_TYPES.join(', ')}`)
  }
  return type
}

/** Parses the name of a value; `field` is an internal name. */
export function parseValueName(field: string, text: string): string {
  return requireLine('name', text, field === 'bug_type' ? MAX_TYPE_VALUE_LENGTH : MAX_VALUE_LENGTH)
}

/** The sort key that puts an item behind the last one, at most the largest sort key. */
export function computeNextSortKey(last: number, step: number): number {
  return Math.min(MAX_SORT_KEY, last + step)
}
