import { SYSTEM } from './access/caller.ts'
import { NOTHING_PRESENTED } from './access/credentials.ts'
import type { Ctx } from './context.ts'
import { openSession } from './db/session.ts'
import { errorFacts, log } from './lib/log.ts'
import { readSettings } from './settings.ts'

/**
 * The context of work that no HTTP request began: queue and cron act as the service itself and read the
 * newest state. Work for `later` begins at once.
 */
export function systemCtx(env: Env, executionContext: ExecutionContext): Ctx {
  const settings = readSettings(env)
  return {
    env,
    settings,
    session: openSession(env.DB, 'first-primary'),
    caller: SYSTEM,
    presented: NOTHING_PRESENTED,
    ip: '',
    now: Math.floor(Date.now() / 1000),
    baseUrl: settings.BASE_URL,
    later(work) {
      executionContext.waitUntil(
        work().catch((error: unknown) => log('error', 'later work failed', errorFacts(error))),
      )
    },
  }
}
