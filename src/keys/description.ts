import { fault } from '../faults.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const MAX_DESCRIPTION_LENGTH = 255

/** Parses what a key is for, to one line. Faults 50 when blank, 53 when longer than 255 characters. */
export function parseKeyDescription(text: string): string {
  const description = cleanLine(text)
  if (description === '') {
    throw fault('valueBlank', { field: 'description' })
  }
  if (lengthOf(description) > MAX_DESCRIPTION_LENGTH) {
    const reason = `may have at most ${MAX_DESCRIPTION_LENGTH} characters`
    throw fault('parameterInvalid', { field: 'description', reason })
  }
  return description
}
