import * as z from 'zod'

/** A date and a count: clients read the first two parts as integers and want at least 5.1. */
export const VERSION = '20261121.1'

export const versionInput = z.object({})
export const versionOutput = z.strictObject({ version: z.string() })

/** GET /version. Contract "Version". */
export async function version() {
  return { version: VERSION }
}
