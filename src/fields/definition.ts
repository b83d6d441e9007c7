import { FIELD_TYPE } from '../db/schema/fields.ts'
import { fault } from '../faults.ts'
import { cleanLine, fold, lengthOf } from '../lib/text.ts'

const CUSTOM_TYPES: readonly number[] = Object.values(FIELD_TYPE)
const LONGEST_NAME = 64
const LONGEST_DISPLAY_NAME = 255
const LONGEST_VALUE = 64
const LONGEST_TYPE_VALUE = 20
const LAST_PLACE = 32_767

/** The name of a custom field, in lower case: fault 50 when blank, 53 without `cf_` or in a wrong form. */
export function fieldName(given: string): string {
  const name = fold(given.trim())
  if (name === '') {
    throw fault('valueBlank', { field: 'name' })
  }
  if (!/^cf_[a-z0-9_]+$/.test(name)) {
    const reason = "must be 'cf_' with letters, digits and underscores behind it"
    throw fault('parameterInvalid', { field: 'name', reason })
  }
  refuseLong('name', name, LONGEST_NAME)
  return name
}

/** What a field is called on forms: fault 50 when blank, 53 when too long. */
export function displayName(given: string): string {
  const name = cleanLine(given)
  if (name === '') {
    throw fault('valueBlank', { field: 'display_name' })
  }
  refuseLong('display_name', name, LONGEST_DISPLAY_NAME)
  return name
}

/** The type of a custom field: fault 50 when missing, 53 for a number that custom fields cannot have. */
export function fieldType(given: number | undefined): number {
  if (given === undefined) {
    throw fault('parameterMissing', { field: 'type' })
  }
  if (!CUSTOM_TYPES.includes(given)) {
    const reason = `must be one of: ${CUSTOM_TYPES.join(', ')}`
    throw fault('parameterInvalid', { field: 'type', reason })
  }
  return given
}

/** The name of a value of a field with that internal name: fault 50 when blank, 53 when too long. */
export function valueName(field: string, given: string): string {
  const name = cleanLine(given)
  if (name === '') {
    throw fault('valueBlank', { field: 'name' })
  }
  refuseLong('name', name, field === 'bug_type' ? LONGEST_TYPE_VALUE : LONGEST_VALUE)
  return name
}

/** A place behind the others, as far as sort keys go. */
export function placeAfter(last: number, step: number): number {
  return Math.min(LAST_PLACE, last + step)
}

function refuseLong(field: string, text: string, most: number): void {
  if (lengthOf(text) > most) {
    throw fault('parameterInvalid', { field, reason: `may have at most ${most} characters` })
  }
}
