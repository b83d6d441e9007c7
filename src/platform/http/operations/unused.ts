import type { Context } from 'hono'
import { invalidParameter } from '../../faults/fault.ts'
import type { AppEnv } from '../request/app-env.ts'
import type { Operation } from './operation.ts'

/** The names of given parameters that an operation does not use. */
export function findUnused(
  c: Context<AppEnv>,
  { input, usesOther }: Pick<Operation, 'input' | 'usesOther'>,
): string[] {
  return Object.keys(c.get('parameters') ?? {}).filter(
    (name) => !(Object.hasOwn(input.shape, name) || usesOther(name)),
  )
}

/**
 * Keeps names of given parameters that are not used, for a header of the answer. Throws a fault where the request
 * refuses such parameters.
 */
export function noteUnused(c: Context<AppEnv>, names: readonly string[]): void {
  const [first] = names
  if (first === undefined) {
    return
  }
  if (c.get('refusesUnused') === true) {
    throw invalidParameter(first.slice(0, 100), 'is unknown, so nothing was changed')
  }
  c.set('unused', [...new Set([...(c.get('unused') ?? []), ...names])])
}
