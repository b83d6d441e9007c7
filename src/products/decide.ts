import { fault } from '../faults.ts'
import { cleanBody, cleanLine, lengthOf } from '../lib/text.ts'

const LONGEST_NAME = 64

/** The kinds of parts that bugs of a product name, with the longest name of each. */
export const PART_NAMES = { version: 64, milestone: 20 } as const

export type PartKind = keyof typeof PART_NAMES

/** The name of a product as one line. Contract "Errors": fault 700 when blank, 701 when too long. */
export function productName(given: string | undefined): string {
  const name = cleanLine(given ?? '')
  if (name === '') {
    throw fault('productNameBlank')
  }
  if (lengthOf(name) > LONGEST_NAME) {
    throw fault('productNameTooLong', { most: LONGEST_NAME })
  }
  return name
}

/** Fault 703 for a description that is missing or blank. Contract "Errors". */
export function productDescription(given: string | undefined): string {
  const description = cleanBody(given ?? '')
  if (description.trim() === '') {
    throw fault('productDescriptionMissing')
  }
  return description
}

/** The name of a version or milestone as one line: fault 50 when blank, 53 naming `field` when too long. */
export function partName(kind: PartKind, given: string, field = 'name'): string {
  const name = cleanLine(given)
  const most = PART_NAMES[kind]
  if (name === '') {
    throw fault('valueBlank', { field })
  }
  if (lengthOf(name) > most) {
    throw fault('parameterInvalid', { field, reason: `may have at most ${most} characters` })
  }
  return name
}
