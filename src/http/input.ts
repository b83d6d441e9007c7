import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { type Fault, fault } from '../faults.ts'
import type { AppEnv, Parameters } from './app-env.ts'
import type { InputFault } from './shapes.ts'

/**
 * Validates all parameters of a request at once: those in the path win over the merged others, and are
 * the first to be judged. The first issue is the fault that an atom chose, or 50 for what is missing, or
 * 53 for a wrong form; each names the field.
 */
export function validateInput(
  shape: z.ZodObject,
  inPath: readonly string[],
): MiddlewareHandler<AppEnv> {
  const { shape: ofPath } = shape.pick(markNames(inPath))
  const pathFirst = shape.pick({}).extend({ ...ofPath, ...shape.shape })
  return function validateParameters(c, next) {
    // made per request: a validation function is handed the path alone, and only a closure knows the rest
    const validate: MiddlewareHandler<AppEnv> = zValidator(
      'param',
      pathFirst,
      (result) => onInvalid(c, result),
      {
        validationFunction: (schema, path) =>
          // only with its input can a missing value be told from one of a wrong type
          schema.safeParse({ ...c.get('parameters'), ...path }, { reportInput: true }),
      },
    )
    return validate(c, next)
  }
}

/** The parameters that `validateInput` has found valid, as their shape reads them. */
export function validInput(c: Context<AppEnv>): Parameters {
  // hono types what validators leave by the route, which does not know them here
  return c.req.valid('param' as never)
}

/** Who turns out to be nobody any more is told that, and nothing else. */
function onInvalid(
  c: Context<AppEnv>,
  result: { success: boolean; error?: z.core.$ZodError },
): Promise<never> | undefined {
  return result.success
    ? undefined
    : c.get('runForCaller')<never>(() => Promise.reject(faultOf(result.error?.issues[0])))
}

function markNames(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]))
}

function faultOf(issue: z.core.$ZodIssue | undefined): Fault {
  const field = issue?.path.join('.') ?? ''
  if (issue?.code === 'custom' && issue.params?.fault !== undefined) {
    // written by `refuse` in shapes.ts and by nothing else
    const chosen = issue.params as { fault: InputFault; value: string }
    return fault(chosen.fault, { field, value: chosen.value })
  }
  if (issue?.code === 'invalid_type' && issue.input === undefined) {
    return fault('parameterMissing', { field })
  }
  return fault('parameterInvalid', { field, reason: reasonOf(issue) })
}

function reasonOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === 'invalid_type') {
    return `must be of the type ${issue.expected}`
  }
  if (issue?.code === 'custom') {
    return issue.message
  }
  return 'has a wrong form'
}
