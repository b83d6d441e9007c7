import { zValidator } from '@hono/zod-validator'
import type { Context, MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { type Fault, fault, invalidParameter, parameterMissing } from '../../faults/fault.ts'
import type { AppEnv, Parameters } from '../request/app-env.ts'
import { findOversized } from './bounds.ts'
import { assertAdmitted, type Requirement } from './operation.ts'
import type { InputFault } from './shapes.ts'

/**
 * Validates all parameters of a request: those in the path take precedence over the others and are
 * validated first. The first issue becomes the fault that its shape names, or 50 for a missing parameter,
 * or 53 for a wrong form; the fault names the field. A caller without the right gets its fault instead.
 */
export function validateInput(
  shape: z.ZodObject,
  pathNames: readonly string[],
  requires: Requirement,
): MiddlewareHandler<AppEnv> {
  const { shape: pathShape } = shape.pick(markNames(pathNames))
  const pathFirst = shape.pick({}).extend({ ...pathShape, ...shape.shape })
  return function validateParameters(c, next) {
    const oversized = findOversized(c.get('parameters'))
    if (oversized !== undefined) {
      return refuseParameters(c, requires, oversized)
    }
    // made per request: a validation function gets the path alone, so a closure adds the other parameters
    const validate: MiddlewareHandler<AppEnv> = zValidator(
      'param',
      pathFirst,
      (result) => onInvalid(c, result, requires),
      {
        validationFunction: (schema, path) =>
          parseParameters(schema as z.ZodObject, { ...c.get('parameters'), ...path }),
      },
    )
    return validate(c, next)
  }
}

/** The parameters of a call from within, where no rights need to come first. Throws the same faults. */
export function parseInput(shape: z.ZodObject, parameters: Parameters): Parameters {
  const result = parseParameters(shape, parameters)
  if (!result.success) {
    throw faultOf(result.error.issues[0])
  }
  return result.data
}

/** The one name that the library drops although a catch-all takes every name. */
const DROPPED = '__proto__'

function parseParameters(shape: z.ZodObject, parameters: Parameters) {
  // the input of an issue tells a missing value from one of a wrong type
  const result = shape.safeParse(parameters, { reportInput: true })
  const takesAny = shape.def.catchall?._zod.def.type === 'unknown'
  return result.success && takesAny && Object.hasOwn(parameters, DROPPED)
    ? { ...result, data: { ...result.data, [DROPPED]: parameters[DROPPED] } }
    : result
}

/** The parameters as `validateInput` has parsed them. */
export function validInput(c: Context<AppEnv>): Parameters {
  // hono derives this type from the validators of a route, which are not known here
  return c.req.valid('param' as never)
}

function onInvalid(
  c: Context<AppEnv>,
  result: { success: boolean; error?: z.core.$ZodError },
  requires: Requirement,
): Promise<never> | undefined {
  return result.success
    ? undefined
    : refuseParameters(c, requires, faultOf(result.error?.issues[0]))
}

/**
 * Refuses parameters, unless the caller may not call the operation at all. Through `runForCaller`, so that a caller
 * whose cached key was revoked gets 306 and no other fault.
 */
export function refuseParameters(
  c: Context<AppEnv>,
  requires: Requirement,
  refusal: Fault,
): Promise<never> {
  return c.get('runForCaller')<never>(async (ctx) => {
    await assertAdmitted(requires, ctx, { ...c.get('parameters'), ...c.req.param() })
    throw refusal
  })
}

function markNames(names: readonly string[]): Record<string, true> {
  return Object.fromEntries(names.map((name) => [name, true]))
}

function faultOf(issue: z.core.$ZodIssue | undefined): Fault {
  const field = issue?.path.join('.') ?? ''
  if (issue?.code === 'custom' && issue.params?.fault !== undefined) {
    // set by `addFaultIssue` in shapes.ts and nowhere else
    const params = issue.params as { fault: InputFault; value: string }
    return fault(params.fault, { field, value: params.value })
  }
  if (issue?.code === 'invalid_type' && issue.input === undefined) {
    return fault(parameterMissing, { field })
  }
  if (issue?.code === 'unrecognized_keys') {
    const unknown = [...issue.path, issue.keys[0]].join('.')
    return invalidParameter(unknown.slice(0, 100), 'is none of this operation')
  }
  return invalidParameter(field, reasonOf(issue))
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
