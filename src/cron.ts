import { backUp } from './edges/archive/back-up.ts'
import { deleteOldAnswers } from './edges/codehost/answers.ts'
import { releaseBacklogs } from './edges/webhooks/delivery/backlog.ts'
import { takeMembershipSteps } from './platform/access/membership-steps.ts'
import { endLoginsWithoutSecondFactor, hasRequirement } from './platform/access/second-factor.ts'
import { systemCtx } from './platform/background.ts'
import type { Ctx } from './platform/context.ts'
import { commit } from './platform/db/commit.ts'
import { IDEMPOTENCY_SECONDS } from './platform/db/idempotency.ts'
import { idempotencyKeys } from './platform/db/schema/idempotency.ts'
import { loginFailures, sessions, tokens } from './platform/db/schema/users.ts'
import { limitTo, sql } from './platform/db/sql.ts'
import { errorFacts, log } from './platform/lib/log.ts'
import { deleteOldWork, sweepOutboxes } from './platform/outbox/sweep.ts'
import { deleteOrphans } from './tracker/attachments/store.ts'
import { indexComments, mergeIndexes } from './tracker/search/index-upkeep.ts'
import { deleteOldVisits } from './tracker/visits/delete-old.ts'

type Jobs = Readonly<Record<string, (ctx: Ctx) => Promise<unknown>>>

/** The cron of wrangler.toml whose runs do nothing but what cannot wait. */
const EVERY_MINUTE = '* * * * *'

const URGENT_JOBS: Jobs = {
  'sweep outboxes': sweepOutboxes,
  'release backlogs of webhooks': releaseBacklogs,
  'compute memberships': takeMembershipSteps,
}

/** The jobs of every other run by their names in the log. Each is idempotent and does a bounded amount of work. */
const JOBS: Jobs = {
  ...URGENT_JOBS,
  'delete old work': deleteOldWork,
  'delete old credentials': deleteOldCredentials,
  'end logins without a required second factor': endUnprotectedLogins,
  'delete old visits': deleteOldVisits,
  'delete old idempotency keys': deleteOldIdempotencyKeys,
  'delete old answers to code hosts': deleteOldAnswers,
  'delete orphaned attachments': deleteOrphans,
  'index comments': indexComments,
  'merge indexes': mergeIndexes,
  'back up': backUp,
}

const MAX_DELETED_ROWS = 1000
const DAY_SECONDS = 86_400

/** Runs the jobs of a cron. One that fails is logged and does not affect the others. */
export async function scheduled(
  { cron }: ScheduledController,
  env: Env,
  executionContext: ExecutionContext,
): Promise<void> {
  await Promise.all(
    Object.entries(cron === EVERY_MINUTE ? URGENT_JOBS : JOBS).map(async ([job, run]) => {
      try {
        await run(systemCtx(env, executionContext))
      } catch (error) {
        log('error', 'cron job failed', { job, ...errorFacts(error) })
      }
    }),
  )
}

/**
 * Deletes wrong passwords that no longer count towards a lockout, and login tokens and sessions that expired unused.
 */
async function deleteOldCredentials(ctx: Ctx): Promise<void> {
  const { settings, now } = ctx
  const oldest = now - settings.TOKEN_IDLE_DAYS * DAY_SECONDS
  await commit(ctx, {
    failures: sql`DELETE FROM login_failures WHERE ${loginFailures.id} IN (
      SELECT ${loginFailures.id} FROM login_failures WHERE ${loginFailures.failedAt} <= ${now - settings.LOGIN_LOCK_MINUTES * 60}
      ORDER BY ${loginFailures.failedAt} ${limitTo(MAX_DELETED_ROWS)})`,
    tokens: sql`DELETE FROM tokens WHERE ${tokens.hash} IN (
      SELECT ${tokens.hash} FROM tokens WHERE ${tokens.lastUsedAt} < ${oldest}
      ORDER BY ${tokens.lastUsedAt} ${limitTo(MAX_DELETED_ROWS)})`,
    sessions: sql`DELETE FROM sessions WHERE ${sessions.id} IN (
      SELECT ${sessions.id} FROM sessions WHERE ${sessions.lastUsedAt} < ${oldest}
      ORDER BY ${sessions.lastUsedAt} ${limitTo(MAX_DELETED_ROWS)})`,
  })
}

/** A group may have begun to require one, or somebody joined it. */
async function endUnprotectedLogins(ctx: Ctx): Promise<void> {
  if (hasRequirement(ctx.settings)) {
    await commit(ctx, { ended: endLoginsWithoutSecondFactor(ctx.settings, MAX_DELETED_ROWS) })
  }
}

async function deleteOldIdempotencyKeys(ctx: Ctx): Promise<void> {
  await commit(ctx, {
    keys: sql`DELETE FROM idempotency_keys WHERE rowid IN (
      SELECT rowid FROM idempotency_keys WHERE ${idempotencyKeys.createdAt} <= ${ctx.now - IDEMPOTENCY_SECONDS}
      ORDER BY ${idempotencyKeys.createdAt} ${limitTo(MAX_DELETED_ROWS)})`,
  })
}
