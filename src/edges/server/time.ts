import * as z from 'zod'
import type { Ctx } from '../../platform/context.ts'
import { toDatetime } from '../../platform/lib/time.ts'
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
 * GET /time: the time of the service. It is that of the database too, because the service sets all times that
 * are stored. Reference: server.md, "Get the time".
 */
export async function getTime(ctx: Ctx) {
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
