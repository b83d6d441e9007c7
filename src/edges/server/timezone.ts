import * as z from 'zod'

/** The service runs in UTC in every data center. */
export const TIMEZONE = { name: 'UTC', offset: '+0000' }

export const timezoneInput = z.object({})
export const timezoneOutput = z.strictObject({ timezone: z.string() })

/**
 * GET /timezone: the offset of the service from UTC. Reference: server.md, "Get the time zone".
 */
export async function getTimezone() {
  return { timezone: TIMEZONE.offset }
}
