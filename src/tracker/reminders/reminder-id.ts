import { fault, idMalformed } from '../../platform/faults/fault.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'

/** The ID of a reminder in a path, which need not exist. */
export function requireReminderId(text: string): number {
  if (!isDigits(text)) {
    throw fault(idMalformed, { field: 'id', value: text.slice(0, 100) })
  }
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER)
}
