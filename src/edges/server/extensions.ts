import * as z from 'zod'
import { operation } from '../../platform/http/operations/operation.ts'
import { anyone } from '../../platform/http/operations/requires.ts'

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
    faults: [],
    requires: anyone,
    scope: 'read',
  },
  async () => {
    return { extensions: {} }
  },
)
