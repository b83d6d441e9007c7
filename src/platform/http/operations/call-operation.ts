import type { Context } from 'hono'
import type { Settings } from '../../settings/settings.ts'
import type { AppEnv } from '../request/app-env.ts'
import { describeRequest, runOnce } from './idempotency.ts'
import { identifyCaller } from './identify-caller.ts'
import { validateInput, validInput } from './input.ts'
import { type Operation, pathParameters, takesParameters } from './operation.ts'

/**
 * Serves an operation to a request that came by another protocol: its parameters, those of the path among them, and
 * its credentials are set on the request already, and an idempotency key comes beside it. Returns the body of the
 * answer, the body as a page of a list, or a response that is sent as it is made.
 */
export async function callOperation(
  c: Context<AppEnv>,
  operation: Operation,
  settingsOf: (env: Env) => Settings,
  idempotencyKey?: string,
): Promise<unknown> {
  let answer: unknown
  const runVerb = async (parameters: Record<string, unknown>) => {
    answer = await c.get('runForCaller')((ctx) =>
      idempotencyKey === undefined
        ? operation.run(ctx, parameters)
        : runOnce(ctx, describeRequest(c, operation, idempotencyKey), (once) =>
            operation.run(once, parameters),
          ),
    )
  }
  await identifyCaller(
    operation,
    settingsOf,
    'cached',
  )(c, async () => {
    if (takesParameters(operation)) {
      const { input, path, requires } = operation
      await validateInput(input, pathParameters(path), requires)(c, () => runVerb(validInput(c)))
    } else {
      await runVerb({})
    }
  })
  return answer
}
