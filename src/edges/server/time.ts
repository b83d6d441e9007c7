import * as z from 'zod'
import { anyone, operation } from '../../platform/http/operations/operation.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { TIMEZONE } from './timezone.ts'

/**
 * The time of the service. It is that of the database too, because the service sets all times that are
 * stored.
 */
export const getTime = operation(
  {
    method: 'GET',
    path: '/time',
    summary: 'Tell what time it is for the service',
    reference: 'server.md#get-the-time',
    input: z.object({}),
    output: z.strictObject({
      db_time: z.string(),
      web_time: z.string(),
      web_time_utc: z.string(),
      tz_name: z.string(),
      tz_short_name: z.string(),
      tz_offset: z.string(),
    }),
    requires: anyone,
    scope: 'read',
    isVolatile: true,
  },
  async (ctx) => {
    const now = toDatetime(ctx.now)
    return {
      db_time: now,
      web_time: now,
      web_time_utc: now,
      tz_name: TIMEZONE.name,
      tz_short_name: TIMEZONE.name,
      tz_offset: TIMEZONE.offset,
    }
  },
)
