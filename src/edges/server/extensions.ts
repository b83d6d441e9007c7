import * as z from 'zod'

export const extensionsInput = z.object({})
export const extensionsOutput = z.strictObject({
  extensions: z.record(z.string(), z.strictObject({ version: z.string() })),
})

/**
 * GET /extensions: the installed extensions; none exist, because everything is part of the service itself.
 * Reference: server.md, "Get the extensions".
 */
export async function getExtensions() {
  return { extensions: {} }
}
