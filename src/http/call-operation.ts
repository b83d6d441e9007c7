import type { Context } from 'hono'
import type { Settings } from '../settings.ts'
import type { AppEnv } from './app-env.ts'
import { identifyCaller } from './identify-caller.ts'
import { validateInput, validInput } from './input.ts'
import { type Operation, pathParameters, takesParameters } from './operation.ts'
import { PagedAnswer } from './response/paged-answer.ts'

/**
 * Serves an operation to a request that came by another protocol: its parameters, those of the path among them,
 * and its credentials are set on the request already. Returns the body of the answer, or a response that is sent
 * as it is made. Faults as for the operation itself.
 */
export async function callOperation(
  c: Context<AppEnv>,
  operation: Operation,
  settingsOf: (env: Env) => Settings,
): Promise<unknown> {
  let answer: unknown
  const runVerb = async (parameters: Record<string, unknown>) => {
    answer = await c.get('runForCaller')((ctx) => operation.run(ctx, parameters))
  }
  await identifyCaller(
    operation,
    settingsOf,
    'cached',
  )(c, async () => {
    if (takesParameters(operation)) {
      const { input, path, right } = operation
      await validateInput(input, pathParameters(path), right)(c, () => runVerb(validInput(c)))
    } else {
      await runVerb({})
    }
  })
  return answer instanceof PagedAnswer ? answer.body : answer
}
