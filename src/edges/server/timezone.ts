import * as z from 'zod'
import { anyone, operation } from '../../platform/http/operations/operation.ts'

/** The service runs in UTC in every data center. */
export const TIMEZONE = { name: 'UTC', offset: '+0000' }

export const getTimezone = operation(
  {
    method: 'GET',
    path: '/timezone',
    summary: 'Tell the offset of the service from UTC',
    reference: 'server.md#get-the-time-zone',
    input: z.object({}),
    output: z.strictObject({ timezone: z.string() }),
    requires: anyone,
    scope: 'read',
    credentials: 'password',
    isConstant: true,
  },
  async () => {
    return { timezone: TIMEZONE.offset }
  },
)
