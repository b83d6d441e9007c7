import * as z from 'zod'

/** The service lives in UTC, whatever the place it runs at. */
export const TIMEZONE = { name: 'UTC', offset: '+0000' }

export const timezoneInput = z.object({})
export const timezoneOutput = z.strictObject({ timezone: z.string() })

/**
 * GET /timezone: the offset of the service from UTC. Administration API "Parameters and server
 * information".
 */
export async function timezone() {
  return { timezone: TIMEZONE.offset }
}
