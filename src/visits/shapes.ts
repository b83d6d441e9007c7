import * as z from 'zod'
import { toDatetime } from '../lib/time.ts'

/** The last-visit record of the contract, parts of which a caller has left out. */
export const visitShape = z.strictObject({ id: z.int(), last_visit_ts: z.iso.datetime() }).partial()

/** A visit as it is told; `at` is in Unix seconds. */
export function presentVisit(bugId: number, at: number): z.output<typeof visitShape> {
  return { id: bugId, last_visit_ts: toDatetime(at) }
}
