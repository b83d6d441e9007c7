import type { Context } from 'hono'
import type { AppEnv } from '../request/app-env.ts'
import type { Operation } from './operation.ts'

/** Keeps the names of given parameters that an operation does not use, for a header of the answer. */
export function noteUnused(
  c: Context<AppEnv>,
  { input, usesOther }: Pick<Operation, 'input' | 'usesOther'>,
): void {
  const unused = Object.keys(c.get('parameters') ?? {}).filter(
    (name) => !(Object.hasOwn(input.shape, name) || usesOther(name)),
  )
  if (unused.length > 0) {
    c.set('unused', [...new Set([...(c.get('unused') ?? []), ...unused])])
  }
}
