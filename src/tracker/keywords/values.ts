import { requireMaxLength } from '../../platform/faults/checks.ts'
import { fault, invalidParameter, valueBlank } from '../../platform/faults/fault.ts'
import { cleanBody } from '../../platform/lib/text.ts'

const MAX_NAME_LENGTH = 64

/** Parses the name of a keyword. */
export function parseKeywordName(text: string): string {
  const name = text.trim()
  if (name === '') {
    throw fault(valueBlank, { field: 'name' })
  }
  if (/[\s,\p{Cc}]/u.test(name)) {
    throw invalidParameter('name', 'may hold no white space or commas')
  }
  return requireMaxLength('name', name, MAX_NAME_LENGTH)
}

/** Parses what a keyword means. */
export function parseKeywordDescription(text: string): string {
  const description = cleanBody(text)
  if (description.trim() === '') {
    throw fault(valueBlank, { field: 'description' })
  }
  return description
}
