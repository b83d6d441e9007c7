import { SINGLE_SELECT_TYPES } from '../../platform/db/schema/fields.ts'

/** The value of a custom field with one choice while nothing is chosen. It is stored nowhere. */
export const EMPTY_CHOICE = '---'

/** Why it cannot be changed or removed, as a message says it. */
export const EMPTY_CHOICE_REASON = 'bugs have it while nothing is chosen'

/** Whether `---` is the first value of a field. */
export function hasEmptyChoice(field: { readonly isCustom: boolean; readonly type: number }) {
  return field.isCustom && SINGLE_SELECT_TYPES.includes(field.type)
}
