import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import * as z from 'zod'
import { app, serving } from '../../src/app.ts'
import type { Ctx } from '../../src/context.ts'
import { type Operation, operation } from '../../src/http/operation.ts'

/** Anything that answers requests as the Worker does: the whole service, or one with operations of a test. */
export type Service = Pick<typeof app, 'fetch'>

/**
 * Asks a service in this very isolate, where other settings or bindings can be given, and waits for what
 * it does after its answer.
 */
export async function ask(
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

/** Asks the whole service under other settings or bindings. */
export function askWith(bindings: object, path: string, init?: RequestInit): Promise<Response> {
  return ask(app, path, init, bindings)
}

/** A service whose every operation answers the parameters that it was called with. */
export function echoing(...operations: [Operation['method'], string, z.ZodObject?][]): Service {
  return serving(
    operations.map(([method, path, input = z.looseObject({})]) =>
      probe({ method, path, input }, async (_, given) => given),
    ),
  )
}

/** An operation for a test of what stands around operations. */
export function probe(
  described: Partial<Parameters<typeof operation>[0]>,
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
      ...described,
    },
    verb,
  )
}

/** A body that arrives in these pieces, its length not announced. */
export function inPieces(pieces: Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) {
        controller.enqueue(piece)
      }
      controller.close()
    },
  })
}
