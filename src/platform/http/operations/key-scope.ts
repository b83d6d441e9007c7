import type { KeyScope } from '../../access/caller.ts'
import { notAuthorized } from '../../access/faults.ts'
import type { Ctx } from '../../context.ts'
import { Fault, fault } from '../../faults/fault.ts'
import { keyIsForProducts, keyMayNotAdminister, keyMayNotWrite } from './faults.ts'
import type { NeededScope } from './operation.ts'

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
  { canWrite, canAdminister, productIds }: KeyScope,
): Promise<Result> {
  if (!canWrite && needed.startsWith('write')) {
    throw fault(keyMayNotWrite)
  }
  if (productIds !== null && needed.endsWith('all-products')) {
    throw fault(keyIsForProducts)
  }
  try {
    return await run()
  } catch (error) {
    throw !canAdminister && error instanceof Fault && error.kind === notAuthorized
      ? fault(keyMayNotAdminister, { refusal: error.message })
      : error
  }
}
