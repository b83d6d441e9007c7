import { fault } from '../faults.ts'
import { cleanBody, lengthOf } from '../lib/text.ts'

const MAX_NAME_LENGTH = 64

/** The name of a keyword: fault 50 when blank, 53 with white space or a comma in it, or too long. */
export function parseKeywordName(given: string): string {
  const name = given.trim()
  if (name === '') {
    throw fault('valueBlank', { field: 'name' })
  }
  if (/[\s,\p{Cc}]/u.test(name)) {
    throw fault('parameterInvalid', { field: 'name', reason: 'may hold no white space or commas' })
  }
  if (lengthOf(name) > MAX_NAME_LENGTH) {
    const reason = `may have at most ${MAX_NAME_LENGTH} characters`
    throw fault('parameterInvalid', { field: 'name', reason })
  }
  return name
}

/** What a keyword means: fault 50 when blank. */
export function parseKeywordDescription(given: string): string {
  const description = cleanBody(given)
  if (description.trim() === '') {
    throw fault('valueBlank', { field: 'description' })
  }
  return description
}
