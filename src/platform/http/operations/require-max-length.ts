import { fault, parameterInvalid } from '../../faults/fault.ts'
import { lengthOf } from '../../lib/text.ts'

export function requireMaxLength(field: string, text: string, maxLength: number): string {
  if (lengthOf(text) > maxLength) {
    throw fault(parameterInvalid, { field, reason: `may have at most ${maxLength} characters` })
  }
  return text
}
