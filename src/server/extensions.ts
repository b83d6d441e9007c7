import * as z from 'zod'

export const extensionsInput = z.object({})
export const extensionsOutput = z.strictObject({
  extensions: z.record(z.string(), z.strictObject({ version: z.string() })),
})

/**
 * GET /extensions: the extensions with their versions, of which there are none: everything is part of the
 * service itself. Administration API "Parameters and server information".
 */
export async function extensions() {
  return { extensions: {} }
}
