import { fault, valueBlank } from '../../platform/faults/fault.ts'
import { requireMaxLength } from '../../platform/http/operations/require-max-length.ts'
import { cleanLine } from '../../platform/lib/text.ts'

const MAX_DESCRIPTION_LENGTH = 255

/** Parses what a key is for, to one line. */
export function parseKeyDescription(text: string): string {
  const description = cleanLine(text)
  if (description === '') {
    throw fault(valueBlank, { field: 'description' })
  }
  return requireMaxLength('description', description, MAX_DESCRIPTION_LENGTH)
}
