import { fault, invalidParameter, valueBlank } from '../../platform/faults/fault.ts'
import { cleanLine, lengthOf } from '../../platform/lib/text.ts'

const MAX_NAME_LENGTH = 64

export function parseSavedSearchName(text: string): string {
  const name = cleanLine(text)
  if (name === '') {
    throw fault(valueBlank, { field: 'name' })
  }
  if (lengthOf(name) > MAX_NAME_LENGTH) {
    throw invalidParameter('name', `may have at most ${MAX_NAME_LENGTH} characters`)
  }
  return name
}
