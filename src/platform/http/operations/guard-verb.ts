import type { KeyScope } from '../../access/caller.ts'
import { notAuthorized } from '../../access/faults.ts'
import type { Ctx } from '../../context.ts'
import { type AnyFault, Fault, fault } from '../../faults/fault.ts'
import { keyIsForProducts, keyMayNotAdminister, keyMayNotWrite } from './faults.ts'
import type { NeededScope } from './operation.ts'

/** What operations need that a limited API key may lack. */
const DEMANDS = [
  {
    isOf: (needed: NeededScope) => needed.startsWith('write'),
    isMet: ({ canWrite }: KeyScope) => canWrite,
    refusal: keyMayNotWrite,
  },
  {
    isOf: (needed: NeededScope) => needed.endsWith('all-products'),
    isMet: ({ productIds }: KeyScope) => productIds === null,
    refusal: keyIsForProducts,
  },
]

/** What an operation that needs the scope refuses limited API keys with. */
export function scopeFaults(needed: NeededScope): readonly AnyFault[] {
  return DEMANDS.filter(({ isOf }) => isOf(needed)).map(({ refusal }) => refusal)
}

/**
 * Refuses limited API keys without the scope that the operation needs, before the verb runs. A fault about a
 * missing right says that the key may withhold it; whether the owner has it is not looked up.
 */
export function guardVerb<Result>(
  verb: (ctx: Ctx) => Promise<Result>,
  needed: NeededScope,
): (ctx: Ctx) => Promise<Result> {
  return (ctx) => {
    const { caller } = ctx
    const scope = caller.kind === 'person' ? caller.scope : undefined
    return scope === undefined ? verb(ctx) : runInScope(() => verb(ctx), needed, scope)
  }
}

async function runInScope<Result>(
  run: () => Promise<Result>,
  needed: NeededScope,
  scope: KeyScope,
): Promise<Result> {
  const unmet = DEMANDS.find(({ isOf, isMet }) => isOf(needed) && !isMet(scope))
  if (unmet !== undefined) {
    throw fault(unmet.refusal)
  }
  try {
    return await run()
  } catch (error) {
    throw !scope.canAdminister && error instanceof Fault && error.kind === notAuthorized
      ? fault(keyMayNotAdminister, { refusal: error.message })
      : error
  }
}
