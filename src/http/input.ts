import { zValidator } from '@hono/zod-validator'
import type { MiddlewareHandler } from 'hono'
import type * as z from 'zod'
import { type Fault, fault } from '../faults.ts'
import type { AppEnv } from './app-env.ts'
import type { InputFault } from './shapes.ts'

/**
 * Validates what an operation takes: the path, then the query of a GET or the merged body of anything
 * else. A failure is the fault that the atom chose, or 50 for what is missing, or 53 for a wrong form;
 * each names the field.
 */
export function validated(
  target: 'param' | 'query' | 'json',
  shape: z.ZodObject,
): MiddlewareHandler<AppEnv> {
  return zValidator(
    target,
    shape,
    (result, c) => {
      if (result.success) {
        return undefined
      }
      const { issues } = result.error
      // who is nobody any more is told that, and nothing else
      return c.get('runForCaller')<never>(() => Promise.reject(faultOf(issues[0])))
    },
    {
      // only with its input can a missing value be told from one of a wrong type
      validationFunction: (schema, value) => schema.safeParse(value, { reportInput: true }),
    },
  )
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
