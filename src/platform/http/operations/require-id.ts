import { fault, notAnInteger } from '../../faults/fault.ts'
import { parseId } from '../../lib/id-or-name.ts'

/** Parses an ID, ignoring white space around it. */
export function requireId(field: string, text: string): number {
  const id = parseId(text)
  if (id === null || id === 0) {
    throw fault(notAnInteger, { field, value: text.slice(0, 100) })
  }
  return id
}
