import type { Context } from 'hono'
import { Fault } from '../../faults/fault.ts'
import type { AppEnv, Parameters } from '../request/app-env.ts'
import { admit } from './admission.ts'
import { describeRequest, isReplay, REPLAYED, runOnce } from './idempotency.ts'
import { identifyCaller } from './identify-caller.ts'
import { refuseParameters, validateInput, validInput } from './input.ts'
import { type Operation, pathParameters, takesParameters } from './operation.ts'
import { FIELD_LISTS, findUnknownFields } from './unknown-fields.ts'
import { findUnused, noteUnused } from './unused.ts'

/**
 * Serves an operation to a request that came by another protocol: its parameters, those of the path among them, and
 * its credentials are set on the request already, and an idempotency key comes beside it, perhaps with the place of the
 * call among those that share the key. Returns the body of the answer, the body as a page of a list, or a response that
 * is sent as it is made. An answer that is given again is a body like the first one, and has its header.
 */
export async function callOperation(
  c: Context<AppEnv>,
  operation: Operation,
  idempotencyKey?: string,
  place?: number,
): Promise<unknown> {
  let answer: unknown
  const run = async (parameters: Parameters) => {
    answer = await runVerb(c, operation, parameters, idempotencyKey, place)
  }
  await identifyCaller(operation, 'cached')(c, async () => {
    if (takesParameters(operation)) {
      const { input, path, requires } = operation
      await validateInput(input, pathParameters(path), requires)(c, () => run(validInput(c)))
    } else {
      await run({})
    }
  })
  if (isReplay(answer)) {
    c.set('ownHeaders', [REPLAYED])
    return answer.json()
  }
  return answer
}

/**
 * Makes parameters of an operation that a call by another protocol names otherwise. A fault comes behind those about
 * the caller, as one of the operation itself does.
 */
export async function translateParameters(
  c: Context<AppEnv>,
  operation: Operation,
  translate: () => Parameters,
): Promise<Parameters> {
  try {
    return translate()
  } catch (error) {
    if (error instanceof Fault) {
      await identifyCaller(operation, 'cached')(c, () =>
        refuseParameters(c, operation.requires, error),
      )
    }
    throw error
  }
}

/** Runs the verb for the caller, but once under an idempotency key. */
export function runVerb(
  c: Context<AppEnv>,
  operation: Operation,
  parameters: Parameters,
  idempotencyKey: string | undefined,
  place?: number,
): Promise<unknown> {
  // these read a body, at the pace of the client
  if (!operation.isSigned && operation.rawBody === null) {
    admit(c)
  }
  noteUnused(c, findUnused(c, operation))
  for (const list of FIELD_LISTS) {
    noteUnused(c, findUnknownFields(operation, parameters, list), list)
  }
  return c.get('runForCaller')((ctx) =>
    idempotencyKey === undefined
      ? operation.run(ctx, parameters)
      : runOnce(ctx, describeRequest(c, operation, idempotencyKey, place), (once) =>
          operation.run(once, parameters),
        ),
  )
}
