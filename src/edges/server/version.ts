import * as z from 'zod'
import { anyone, operation } from '../../platform/http/operations/operation.ts'

/** A date and a count: clients read the first two parts as integers and require at least 5.1. */
export const VERSION = '20261121.1'

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
