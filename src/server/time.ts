import * as z from 'zod'
import type { Ctx } from '../context.ts'
import { toDatetime } from '../lib/time.ts'
import { TIMEZONE } from './timezone.ts'

export const timeInput = z.object({})
export const timeOutput = z.strictObject({
  db_time: z.string(),
  web_time: z.string(),
  web_time_utc: z.string(),
  tz_name: z.string(),
  tz_short_name: z.string(),
  tz_offset: z.string(),
})

/**
 * GET /time: the moment at which the service answers. What it writes bears its own time, so the database
 * has the same. Administration API "Parameters and server information".
 */
export async function time(ctx: Ctx) {
  const now = toDatetime(ctx.now)
  return {
    db_time: now,
    web_time: now,
    web_time_utc: now,
    tz_name: TIMEZONE.name,
    tz_short_name: TIMEZONE.name,
    tz_offset: TIMEZONE.offset,
  }
}
