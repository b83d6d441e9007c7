import type { Context } from 'hono'
import type * as z from 'zod'
import type { NamedList } from '../../context.ts'
import { invalidParameter } from '../../faults/fault.ts'
import type { AppEnv } from '../request/app-env.ts'
import type { Operation } from './operation.ts'
import { isIgnored } from './shapes.ts'
import { findUnknownMembers } from './unknown-members.ts'

/** The names of given parameters, and of members of their values, that an operation does not use. */
export function findUnused(
  c: Context<AppEnv>,
  { input: { shape }, usesOther }: Pick<Operation, 'input' | 'usesOther'>,
): string[] {
  return Object.entries(c.get('parameters') ?? {}).flatMap(([name, value]) => {
    const known = Object.hasOwn(shape, name) ? (shape[name] as z.ZodType) : undefined
    if (known === undefined) {
      return usesOther(name) ? [] : [name]
    }
    return isIgnored(known) ? [name] : findUnknownMembers(known, value, name)
  })
}

/**
 * Keeps names that are not used, for a header of the answer. Throws a fault where the request refuses such
 * parameters.
 */
export function noteUnused(
  c: Context<AppEnv>,
  names: readonly string[],
  list: NamedList = 'parameters',
): void {
  const [first] = names
  if (first === undefined) {
    return
  }
  if (list === 'parameters' && c.get('refusesUnused') === true) {
    throw invalidParameter(first.slice(0, 100), 'has no effect, so nothing was changed')
  }
  const before = c.get('unused')
  const all = new Set([...(before?.get(list) ?? []), ...names])
  c.set('unused', new Map([...(before ?? []), [list, [...all]]]))
}

/** Names the header with an idempotency key where nothing has a use for it. */
export function noteUnusedKey(c: Context<AppEnv>): void {
  if (c.req.header('idempotency-key') !== undefined) {
    noteUnused(c, ['Idempotency-Key'])
  }
}
