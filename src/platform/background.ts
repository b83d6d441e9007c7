import { SYSTEM } from './access/caller.ts'
import { NO_CREDENTIALS } from './access/credentials.ts'
import type { Ctx } from './context.ts'
import { openSession } from './db/session.ts'
import { errorFacts, log } from './lib/log.ts'
import { readSettings } from './settings/settings.ts'

/**
 * The context of queue and cron: they act as the system and read the primary. Deferred work begins at
 * once, because no answer is waited for.
 */
export function systemCtx(env: Env, executionContext: ExecutionContext): Ctx {
  const settings = readSettings(env)
  return {
    env,
    settings,
    session: openSession(env.DB, 'first-primary'),
    caller: SYSTEM,
    credentials: NO_CREDENTIALS,
    ip: '',
    now: Math.floor(Date.now() / 1000),
    baseUrl: settings.BASE_URL,
    noteUnused() {},
    defer(work) {
      executionContext.waitUntil(
        work().catch((error: unknown) => log('error', 'deferred work failed', errorFacts(error))),
      )
    },
  }
}
