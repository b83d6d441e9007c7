import { assertLoggedIn, assertRole } from '../../access/rights.ts'
import type { Role } from '../../access/roles.ts'
import type { Ctx, PersonCtx } from '../../context.ts'
import type { Parameters } from '../request/app-env.ts'

/**
 * Who may call an operation. `operation` demands it before the verb runs and before it refuses parameters, and hands
 * the verb the context that is granted, so that no verb asks again.
 */
export type Requirement<Granted extends Ctx = Ctx> = {
  /** Whether anonymous callers are refused first of all. */
  readonly login: boolean
  /** Whether it can fail for somebody who is logged in. */
  readonly isRight: boolean
  /** Throws for a caller who may not. The parameters are as sent where they have not been validated. */
  grant(ctx: Ctx, parameters: Parameters): Granted
  /** See `rightOnRows`. */
  lookUp?(ctx: PersonCtx, parameters: Parameters): Promise<unknown>
}

/** Everybody; anonymous callers too, unless the service demands a login of all. */
export const anyone: Requirement = { login: false, isRight: false, grant: (ctx) => ctx }

export const loggedIn: Requirement<PersonCtx> = {
  login: true,
  isRight: false,
  grant: (ctx) => ({ ...ctx, caller: assertLoggedIn(ctx.caller) }),
}

/** Demands a role; `action` completes "You are not authorized to …". */
export function role(name: Role, action: string): Requirement<PersonCtx> {
  return {
    login: true,
    isRight: true,
    grant: (ctx) => ({ ...ctx, caller: assertRole(ctx.caller, name, action) }),
  }
}

/**
 * A right that caller and parameters alone decide; what `find` returns is added to the context of the
 * verb.
 */
export function right<Found extends object>(
  find: (ctx: PersonCtx, parameters: Parameters) => Found,
): Requirement<PersonCtx & Found> {
  return {
    login: true,
    isRight: true,
    grant: (ctx, parameters) => {
      const granted = loggedIn.grant(ctx, parameters)
      return { ...granted, ...find(granted, parameters) }
    },
  }
}

/**
 * A right that hangs on rows, such as those of a product: the verb checks it in the transaction that reads them. It
 * is looked up ahead only where parameters are wrong, so that a caller without it learns nothing of them.
 */
export function rightOnRows(
  lookUp: (ctx: PersonCtx, parameters: Parameters) => Promise<unknown>,
): Requirement<PersonCtx> {
  return { login: true, isRight: true, grant: loggedIn.grant, lookUp }
}

/** Throws what refuses the caller ahead of the faults of parameters. */
export async function assertAdmitted(
  requires: Requirement,
  ctx: Ctx,
  parameters: Parameters,
): Promise<void> {
  const granted = requires.grant(ctx, parameters)
  await requires.lookUp?.(loggedIn.grant(granted, parameters), parameters)
}
