import { requireLine } from '../../platform/faults/checks.ts'
import { fault } from '../../platform/faults/fault.ts'
import { cleanBody, cleanLine, lengthOf } from '../../platform/lib/text.ts'
import { productDescriptionMissing, productNameBlank, productNameTooLong } from './faults.ts'

const MAX_NAME_LENGTH = 64

/** The limits of names, in characters. */
const MAX_PART_NAME_LENGTHS = { version: 64, milestone: 20 } as const

export type PartKind = keyof typeof MAX_PART_NAME_LENGTHS

/** Parses the name of a product as one line. */
export function parseProductName(text: string | undefined): string {
  const name = cleanLine(text ?? '')
  if (name === '') {
    throw fault(productNameBlank)
  }
  if (lengthOf(name) > MAX_NAME_LENGTH) {
    throw fault(productNameTooLong, { most: MAX_NAME_LENGTH })
  }
  return name
}

/** Parses the description of a product. */
export function parseProductDescription(text: string | undefined): string {
  const description = cleanBody(text ?? '')
  if (description.trim() === '') {
    throw fault(productDescriptionMissing)
  }
  return description
}

export function parsePartName(kind: PartKind, text: string, field = 'name'): string {
  return requireLine(field, text, MAX_PART_NAME_LENGTHS[kind])
}
