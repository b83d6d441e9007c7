import * as z from 'zod'

/** A date and a count: clients read the first two parts as integers and require at least 5.1. */
export const VERSION = '20261121.1'

export const versionInput = z.object({})
export const versionOutput = z.strictObject({ version: z.string() })

/** GET /version: the version of the service. Reference: server.md, "Get the version". */
export async function getVersion() {
  return { version: VERSION }
}
