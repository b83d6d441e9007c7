import type { Context } from 'hono'
import type { Ctx } from '../context.ts'
import { StaleIdentityError } from '../db/session.ts'
import type { AppEnv } from './app-env.ts'

/**
 * Runs a verb for the caller of a request. One who was only presumed is made sure of before anything
 * leaves: by the first reads of the verb, or else by a trip of its own. Who turns out to be somebody
 * else, or nobody any more, gets nothing of what was prepared, be it an answer or a fault: it is found
 * out in earnest who is calling, and the verb runs again. What it did until then it did to nothing,
 * since a commit makes sure first.
 */
export function withVerifiedIdentity<Result>(
  c: Context<AppEnv>,
  verb: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const inEarnest = c.get('inEarnest')
  return inEarnest === undefined ? verb(c.get('ctx')) : confirming(c, inEarnest, verb)
}

async function confirming<Result>(
  c: Context<AppEnv>,
  inEarnest: () => Promise<Ctx>,
  verb: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const ctx = c.get('ctx')
  // not all verbs are async: one may throw before there is a promise
  const [outcome] = await Promise.allSettled([(async () => verb(ctx))()])
  if (await isBorneOut(ctx)) {
    if (outcome.status === 'rejected') {
      throw outcome.reason
    }
    return outcome.value
  }
  c.set('afterwards', [])
  c.set('ctx', await inEarnest())
  return verb(c.get('ctx'))
}

async function isBorneOut({ session }: Ctx): Promise<boolean> {
  try {
    await session.verifyIdentity()
    return true
  } catch (error) {
    if (error instanceof StaleIdentityError) {
      return false
    }
    throw error
  }
}
