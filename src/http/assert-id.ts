import { fault } from '../faults.ts'
import { parseId } from '../lib/id-or-name.ts'

/** The ID that the text holds, white space around it aside; fault 52 for what nothing has as its ID. */
export function assertId(field: string, given: string): number {
  const id = parseId(given)
  if (id === null || id === 0) {
    throw fault('notAnInteger', { field, value: given.slice(0, 100) })
  }
  return id
}
