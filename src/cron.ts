import { sweepOrphans } from './attachments/store.ts'
import { systemCtx } from './background.ts'
import type { Ctx } from './context.ts'
import { commit } from './db/commit.ts'
import { limitTo, sql } from './db/sql.ts'
import { errorFacts, log } from './lib/log.ts'
import { sweepNotices } from './notices/sweep.ts'
import { sweepVisits } from './visits/sweep.ts'

/** What is done at every run. Each duty may run twice, and does a bounded amount of work. */
const DUTIES: Readonly<Record<string, (ctx: Ctx) => Promise<unknown>>> = {
  'sweep notices': sweepNotices,
  'forget credentials': forgetCredentials,
  'forget visits': sweepVisits,
  'sweep attachments': sweepOrphans,
}

const MOST_FORGOTTEN = 1000
const DAY = 86_400

/** Does all duties; one that fails is logged and holds up none of the others. */
export async function scheduled(
  _controller: ScheduledController,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  await Promise.all(
    Object.entries(DUTIES).map(async ([duty, run]) => {
      try {
        await run(systemCtx(env, executionContext))
      } catch (error) {
        log('error', 'duty failed', { duty, ...errorFacts(error) })
      }
    }),
  )
}

/** Wrong passwords that no longer count, and login tokens that died of disuse. */
async function forgetCredentials(ctx: Ctx): Promise<void> {
  const { settings, now } = ctx
  await commit(ctx, {
    failures: sql`DELETE FROM login_failures WHERE id IN (
      SELECT id FROM login_failures WHERE failed_at <= ${now - settings.LOGIN_LOCK_MINUTES * 60}
      ORDER BY failed_at ${limitTo(MOST_FORGOTTEN)})`,
    tokens: sql`DELETE FROM tokens WHERE hash IN (
      SELECT hash FROM tokens WHERE last_used_at < ${now - settings.TOKEN_IDLE_DAYS * DAY}
      ORDER BY last_used_at ${limitTo(MOST_FORGOTTEN)})`,
  })
}
