import * as z from 'zod'
import { once } from '../../lib/isolate.ts'
import { anyone, type Operation, operation } from '../operations/operation.ts'
import { addAddresses, nameModels } from './publish.ts'
import { type ApiDocument, apiDocumentShape } from './shape.ts'

/** The operation that answers the description of the API, and how others get at it. */
export type ApiDescription = {
  readonly operation: Operation
  /** Shared by all calls; must not be changed. */
  load(): Promise<ApiDocument>
}

/**
 * GET /openapi.json: describes all other operations and itself as OpenAPI 3.1, from the shapes that validate input
 * and that tests validate answers with. The faults of an operation are named examples, by status.
 */
export function createApiDescription(
  others: readonly Operation[],
  version: string,
): ApiDescription {
  const load = once(async (): Promise<ApiDocument> => {
    // loaded on first use, because the texts are long and most isolates never need them
    const { describeApi } = await import('./document.ts')
    return describeApi([...others, own], version)
  })
  const loadNamed = once(async () => nameModels(await load()))
  const own = operation(
    {
      method: 'GET',
      path: '/openapi.json',
      summary: 'Describe every operation of this API as OpenAPI 3.1',
      reference: 'server.md#describe-the-api',
      input: z.object({}),
      faults: [],
      requires: anyone,
      scope: 'read',
      output: apiDocumentShape,
      credentials: 'ignored',
      isConstant: true,
    },
    async ({ baseUrl }) => addAddresses(await loadNamed(), baseUrl),
  )
  return { operation: own, load }
}
