import { fault } from '../faults.ts'
import { requireMaxLength } from '../http/require-max-length.ts'
import { cleanLine } from '../lib/text.ts'

const MAX_DESCRIPTION_LENGTH = 255

/** Parses what a key is for, to one line. Faults 50 when blank, 53 when longer than 255 characters. */
export function parseKeyDescription(text: string): string {
  const description = cleanLine(text)
  if (description === '') {
    throw fault('valueBlank', { field: 'description' })
  }
  return requireMaxLength('description', description, MAX_DESCRIPTION_LENGTH)
}
