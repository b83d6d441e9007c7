import { invalidParameter } from '../../faults/fault.ts'
import { lengthOf } from '../../lib/text.ts'

export function requireMaxLength(field: string, text: string, maxLength: number): string {
  if (lengthOf(text) > maxLength) {
    throw invalidParameter(field, `may have at most ${maxLength} characters`)
  }
  return text
}
