import {
  createExecutionContext,
  createScheduledController,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { scheduled } from '../src/cron.ts'
import { systemCtx } from '../src/platform/background.ts'
import { storeBytes } from '../src/tracker/attachments/store.ts'
import worker from '../src/worker.ts'
import { insertBug } from './support/builders/bugs.ts'
import { insertGroup } from './support/builders/groups.ts'
import { insertNotice } from './support/builders/notices.ts'
import {
  insertPeopleNamed,
  insertPerson,
  insertSession,
  insertToken,
} from './support/builders/people.ts'
import { NOW, uniqueName } from './support/builders/unique.ts'
import { isTokenValid } from './support/clients/users.ts'
import { countRows, execute, loadRow } from './support/database/execute.ts'
import { wranglerToml } from './support/sources.ts'

const DAY = 86_400

async function runCron(on: Env = env, cron = '*/5 * * * *'): Promise<void> {
  const executionContext = createExecutionContext()
  await scheduled(createScheduledController({ cron }), on, executionContext)
  await waitOnExecutionContext(executionContext)
}

async function createOverdueNotice(): Promise<number> {
  const author = await insertPerson()
  return insertNotice(await insertBug({ reporter: author }), author, {
    id: nextLowestId(),
    nextAttemptAt: 1,
  })
}

/** IDs below all others, which bounded sweeps read first. */
let lastId = -1_000_000
function nextLowestId(): number {
  lastId -= 1
  return lastId
}

async function createToken(lastUsedAt: number): Promise<string> {
  const hash = uniqueName('hash')
  const { id } = await insertPerson()
  await execute(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
    VALUES (${hash}, ${id}, ${lastUsedAt}, ${lastUsedAt})`)
  return hash
}

async function recordLoginFailure(failedAt: number): Promise<string> {
  const login = uniqueName('login')
  await execute(
    sql`INSERT INTO login_failures (login_fold, ip, failed_at) VALUES (${login}, '::1', ${failedAt})`,
  )
  return login
}

describe('scheduled', () => {
  test('is the cron handler of the Worker', () => {
    expect(worker.scheduled).toBe(scheduled)
  })

  test('deletes stored bytes without an attachment', async () => {
    const ctx = systemCtx(env, createExecutionContext())
    const upload = { size: 1, blocks: [Uint8Array.of(1)] }
    const { objectKey, markerKey } = await storeBytes({ ...ctx, now: NOW - 2 * DAY }, upload)
    await runCron()
    expect(await env.FILES.head(objectKey)).toBeNull()
    expect(await env.FILES.head(markerKey)).toBeNull()
  })

  test.each(['* * * * *', '*/5 * * * *'])(
    'sends queue messages for overdue notices by the cron %s',
    async (cron) => {
      const id = await createOverdueNotice()
      await execute(sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL AND id <> ${id}`)
      const sent: unknown[] = []
      const EVENTS = {
        sendBatch(messages: MessageSendRequest[]) {
          sent.push(...messages.map(({ body }) => body))
          return env.EVENTS.sendBatch(messages)
        },
      }

      await runCron({ ...env, EVENTS } as unknown as Env, cron)

      expect(sent).toContainEqual({ kind: 'notice', id })
    },
  )

  test('leaves what can wait to another cron than that of every minute', async () => {
    const expired = await createToken(NOW - 7 * DAY - 60)
    await runCron(env, '* * * * *')
    expect(await loadRow('tokens', sql`hash = ${expired}`)).toBeDefined()
    expect(wranglerToml).toContain('crons = ["* * * * *", "*/5 * * * *"]')
  })

  test('ends the logins of members of TOTP_REQUIRED_GROUPS without a second factor, and of nobody else', async () => {
    const [without, beginning, having, free] = await insertPeopleNamed('A', 'B', 'C', 'D')
    const group = await insertGroup([without, beginning, having])
    for (const [person, confirmedAt] of [
      [beginning, null],
      [having, 1],
    ] as const) {
      await execute(sql`INSERT INTO second_factors (user_id, sealed, recovery_hashes, created_at, confirmed_at)
        VALUES (${person.id}, '', '[]', 1, ${confirmedAt})`)
    }
    const people = [without, beginning, having, free]
    const tokens = await Promise.all(people.map(insertToken))
    const sessions = await Promise.all(people.map((person) => insertSession(person)))
    await runCron({ ...env, TOTP_REQUIRED_GROUPS: group.name } as unknown as Env)
    expect(await Promise.all(tokens.map(isTokenValid))).toEqual([false, false, true, true])
    const left = sessions.map((id) => loadRow('sessions', sql`id = ${id}`))
    expect((await Promise.all(left)).map((row) => row !== undefined)).toEqual([
      ...[false, false, true, true],
    ])
  })

  test('ends 1,000 of these logins in a run, and the others in the next', async () => {
    const person = await insertPerson()
    const group = await insertGroup([person])
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1003)
      INSERT INTO tokens (hash, user_id, created_at, last_used_at)
      SELECT 'many ' || ${person.id} || ' ' || i, ${person.id}, ${NOW}, ${NOW} FROM n`)
    const on = { ...env, TOTP_REQUIRED_GROUPS: group.name } as unknown as Env
    await runCron(on)
    expect(await countRows('tokens', sql`user_id = ${person.id}`)).toBe(3)
    await runCron(on)
    expect(await countRows('tokens', sql`user_id = ${person.id}`)).toBe(0)
  })

  test('deletes tokens that expired unused and keeps the others', async () => {
    const [expired, current] = [
      await createToken(NOW - 7 * DAY - 60),
      await createToken(NOW - 7 * DAY + 3600),
    ]

    await runCron()

    expect(await loadRow('tokens', sql`hash = ${expired}`)).toBeUndefined()
    expect(await loadRow('tokens', sql`hash = ${current}`)).toBeDefined()
  })

  test('deletes sessions that expired unused and keeps the others', async () => {
    const ann = await insertPerson()
    const [expired, current] = [
      await insertSession(ann, NOW - 7 * DAY - 60),
      await insertSession(ann, NOW - 7 * DAY + 3600),
    ]

    await runCron()

    expect(await loadRow('sessions', sql`id = ${expired}`)).toBeUndefined()
    expect(await loadRow('sessions', sql`id = ${current}`)).toBeDefined()
  })

  test('deletes wrong passwords that no longer count towards a lockout and keeps the others', async () => {
    const [old, recent] = [await recordLoginFailure(NOW - 3600), await recordLoginFailure(NOW - 60)]

    await runCron()

    expect(await loadRow('login_failures', sql`login_fold = ${old}`)).toBeUndefined()
    expect(await loadRow('login_failures', sql`login_fold = ${recent}`)).toBeDefined()
  })

  test('deletes idempotency keys after a day and keeps the others', async () => {
    const { id } = await insertPerson()
    await execute(sql`INSERT INTO idempotency_keys (user_id, operation, request_key, fingerprint, created_at)
      VALUES (${id}, 'POST /bug', 'old', '', ${NOW - DAY - 60}), (${id}, 'POST /bug', 'new', '', ${NOW - DAY + 3600})`)

    await runCron()

    expect(
      await execute(sql`SELECT request_key FROM idempotency_keys WHERE user_id = ${id}`),
    ).toEqual([{ request_key: 'new' }])
  })

  test('deletes at most 1,000 rows in one run, oldest first', async () => {
    const login = uniqueName('login')
    await execute(sql`INSERT INTO login_failures (login_fold, ip, failed_at)
      SELECT ${login}, '::1', 1 + key FROM json_each(${JSON.stringify(Array.from({ length: 1500 }, () => 0))})`)
    const countRemaining = async () =>
      (
        await execute(sql`SELECT count(*) AS n, min(failed_at) AS oldest FROM login_failures
        WHERE login_fold = ${login}`)
      )[0]

    await runCron()
    expect(await countRemaining()).toEqual({ n: 500, oldest: 1001 })
    await runCron()
    expect(await countRemaining()).toMatchObject({ n: 0 })
  })

  test('logs a job that fails and runs the others', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const expired = await createToken(NOW - 8 * DAY)
    const id = await createOverdueNotice()
    const session = (real: D1DatabaseSession) => ({
      prepare: (text: string) => {
        if (text.includes('notices')) {
          throw new Error('D1_ERROR: Network connection lost.')
        }
        return real.prepare(text)
      },
      batch: (list: D1PreparedStatement[]) => real.batch(list),
      getBookmark: () => real.getBookmark(),
    })
    const DB = { withSession: (from: string) => session(env.DB.withSession(from)) }

    await runCron({ ...env, DB } as unknown as Env)

    expect(await loadRow('tokens', sql`hash = ${expired}`)).toBeUndefined()
    expect(await loadRow('notices', sql`id = ${id}`)).toMatchObject({ next_attempt_at: 1 })
    const lines = error.mock.calls.map(([line]) => JSON.parse(String(line)))
    expect(lines).toMatchObject(
      ['sweep outboxes', 'delete old work'].map((job) => ({ event: 'cron job failed', job })),
    )
  })

  test('succeeds although the queue accepts no message, because the next run sends it again', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const id = await createOverdueNotice()
    const EVENTS = { sendBatch: () => Promise.reject(new Error('queue unreachable')) }

    await runCron({ ...env, EVENTS } as unknown as Env)

    expect(await loadRow('notices', sql`id = ${id}`)).toMatchObject({ done_at: null, attempts: 0 })
    const events = error.mock.calls.map(([line]) => JSON.parse(String(line)).event)
    expect(new Set(events)).toEqual(new Set(['deferred work failed']))
  })
})
