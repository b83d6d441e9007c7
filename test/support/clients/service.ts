import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { app, createService } from '../../../src/app.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import {
  anyone,
  type Operation,
  operation,
  type Requirement,
} from '../../../src/platform/http/operations/operation.ts'

/** Something that answers requests like the Worker: the whole service, or one with operations of a test. */
type Service = Pick<typeof app, 'fetch'>

/**
 * Sends a request to a service in this isolate, with other settings or bindings if given, and waits for
 * the work that the service does after its answer.
 */
export async function fetchFrom(
  service: Service,
  path: string,
  init: RequestInit = {},
  bindings: object = {},
): Promise<Response> {
  const request = new Request(`https://tracker.test${path}`, { redirect: 'manual', ...init })
  const executionContext = createExecutionContext()
  const response = await service.fetch(request, { ...env, ...bindings }, executionContext)
  await waitOnExecutionContext(executionContext)
  return response
}

/** Sends a request to the whole service with other settings or bindings. */
export function fetchWith(bindings: object, path: string, init?: RequestInit): Promise<Response> {
  return fetchFrom(app, path, init, bindings)
}

/** A service whose operations return the parameters that they were called with. */
export function buildEchoService(
  ...operations: [Operation['method'], string, z.ZodObject?][]
): Service {
  return createService(
    operations.map(([method, path, input = z.looseObject({})]) =>
      buildProbe({ method, path, input }, async (_, given) => given),
    ),
  )
}

/** An operation for tests of the code around operations. */
export function buildProbe(
  described: Partial<Omit<Parameters<typeof operation>[0], 'requires'>> & {
    requires?: Requirement
  },
  verb: (ctx: Ctx, input: Record<string, unknown>) => Promise<unknown>,
): Operation {
  return operation(
    {
      method: 'GET',
      path: '/probe',
      summary: 'A probe',
      reference: 'server.md#describe-the-api',
      input: z.looseObject({}),
      output: z.unknown(),
      faults: [],
      requires: anyone,
      scope: described.method === undefined || described.method === 'GET' ? 'read' : 'write',
      ...described,
    },
    verb,
  )
}

/** A request body that arrives in these pieces, without a known length. */
export function streamPieces(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece)
      }
      controller.close()
    },
  })
}
