import * as z from 'zod'
import { anyone, operation } from '../../platform/http/operations/operation.ts'

/** Set by the bundler, from the commit that it bundles. */
declare const BUILD_VERSION: string | undefined
declare const BUILD_COMMIT: string | undefined

/** A date and a count: clients read the first two parts as integers and require at least 5.1. */
export const VERSION = typeof BUILD_VERSION === 'string' ? BUILD_VERSION : '20261121.0'

/** Null where the bundler knew no commit. */
export const COMMIT = typeof BUILD_COMMIT === 'string' ? BUILD_COMMIT : null

export const getVersion = operation(
  {
    method: 'GET',
    path: '/version',
    summary: 'Tell the version of the service',
    reference: 'server.md#get-the-version',
    input: z.object({}),
    output: z.strictObject({ version: z.string() }),
    requires: anyone,
    scope: 'read',
    credentials: 'password',
    isConstant: true,
  },
  async () => {
    return { version: VERSION }
  },
)
