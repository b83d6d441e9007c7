import * as z from 'zod'
import { toDatetime } from '../../platform/lib/time.ts'

/** Any member may be left out by the caller. */
export const visitShape = z.strictObject({ id: z.int(), last_visit_ts: z.iso.datetime() }).partial()

/** Presents a visit; `at` is in Unix seconds. */
export function presentVisit(bugId: number, at: number): z.output<typeof visitShape> {
  return { id: bugId, last_visit_ts: toDatetime(at) }
}
