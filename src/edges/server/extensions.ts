import * as z from 'zod'
import { anyone, operation } from '../../platform/http/operations/operation.ts'

/** The installed extensions; none exist, because everything is part of the service itself. */
export const getExtensions = operation(
  {
    method: 'GET',
    path: '/extensions',
    summary: 'List the extensions of the service',
    reference: 'server.md#get-the-extensions',
    input: z.object({}),
    output: z.strictObject({
      extensions: z.record(z.string(), z.strictObject({ version: z.string() })),
    }),
    requires: anyone,
    scope: 'read',
  },
  async () => {
    return { extensions: {} }
  },
)
