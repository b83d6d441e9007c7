import { fault } from '../faults.ts'
import { cleanLine, lengthOf } from '../lib/text.ts'

const LONGEST = 255

/** What a key is for, as one line: fault 50 when blank, 53 when longer than 255 characters. */
export function keyDescription(given: string): string {
  const description = cleanLine(given)
  if (description === '') {
    throw fault('valueBlank', { field: 'description' })
  }
  if (lengthOf(description) > LONGEST) {
    const reason = `may have at most ${LONGEST} characters`
    throw fault('parameterInvalid', { field: 'description', reason })
  }
  return description
}
