import {
  createExecutionContext,
  createScheduledController,
  waitOnExecutionContext,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { scheduled } from '../src/cron.ts'
import { insertBug } from './support/builders/bugs.ts'
import { insertApiKey, insertPerson } from './support/builders/people.ts'
import { NOW } from './support/builders/unique.ts'
import { execute } from './support/database/execute.ts'

/** More than one run looks at of any kind. */
const FEW = 1000
const MANY = 20_000

/** Runs the cron, and counts the rows that its statements read. */
async function countRowsOfCron(): Promise<number> {
  let rows = 0
  const count = (session: D1DatabaseSession): D1DatabaseSession =>
    new Proxy(session, {
      get(target, name) {
        if (name !== 'batch') {
          const value = Reflect.get(target, name)
          return typeof value === 'function' ? value.bind(target) : value
        }
        return async (statements: D1PreparedStatement[]) => {
          const results = await target.batch(statements)
          rows += results.reduce((sum, { meta }) => sum + (meta.rows_read ?? 0), 0)
          return results
        }
      },
    })
  const DB = new Proxy(env.DB, {
    get(target, name) {
      return name === 'withSession'
        ? (constraint: string) => count(target.withSession(constraint))
        : Reflect.get(target, name)
    },
  })
  const executionContext = createExecutionContext()
  const controller = createScheduledController({ cron: '*/5 * * * *' })
  await scheduled(controller, { ...env, DB }, executionContext)
  await waitOnExecutionContext(executionContext)
  return rows
}

/** Adds rows of every kind that a job looks for, none of them due. */
async function fill(count: number, from: number): Promise<void> {
  const author = await insertPerson()
  const key = await insertApiKey(author)
  const { id: bug } = await insertBug({ reporter: author })
  const [{ id: webhook } = { id: 0 }] = await execute(sql`INSERT INTO webhooks
    (user_id, name, name_fold, url, events, secret_sealed, created_at)
    VALUES (${author.id}, 'x' || ${from}, 'x' || ${from}, 'https://a.test/', 'change', 's', ${NOW})
    RETURNING id`)
  const later = 4_000_000_000
  const numbers = sql`WITH RECURSIVE n(i) AS (
    SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + count - 1})`
  const rowOf = (into: string, values: ReturnType<typeof sql>) =>
    sql`INSERT INTO ${sql.raw(into)} ${numbers} SELECT ${values} FROM n`
  await execute(
    rowOf('login_failures (login_fold, ip, failed_at)', sql`'x' || i, '192.0.2.1', ${later}`),
    rowOf(
      'tokens (hash, user_id, created_at, last_used_at)',
      sql`'h' || i, ${author.id}, ${NOW}, ${later}`,
    ),
    rowOf(
      'notices (bug_id, author_id, kind, happened_at, next_attempt_at, done_at)',
      sql`${bug}, ${author.id}, 'changed', ${NOW}, ${NOW}, ${later}`,
    ),
    rowOf(
      'reminders (user_id, bug_id, remind_on, created_on, next_attempt_at)',
      sql`${author.id}, ${bug}, '2090-01-01', '2020-01-01', ${later}`,
    ),
    rowOf(
      'api_key_mails (key_id, planned_at, expires_at, next_attempt_at, done_at)',
      sql`${key.id}, ${NOW}, ${later}, ${NOW}, ${later}`,
    ),
    rowOf(
      'account_links (kind, login, login_fold, hash, created_at, expires_at, next_attempt_at, done_at)',
      sql`'account', 'l' || i, 'l' || i, 'a' || i, ${NOW}, ${later}, ${NOW}, ${later}`,
    ),
    rowOf(
      'sessions (hash, user_id, created_at, last_used_at, ip, user_agent, authenticated_by)',
      sql`'s' || i, ${author.id}, ${NOW}, ${later}, '', '', 'password'`,
    ),
    rowOf(
      'idempotency_keys (user_id, operation, request_key, fingerprint, created_at)',
      sql`${author.id}, 'x', i, 'f', ${later}`,
    ),
    rowOf(
      'webhook_deliveries (webhook_id, event, created_at, next_attempt_at, done_at)',
      sql`${webhook}, 'bug.changed', ${NOW}, ${NOW}, ${later}`,
    ),
    rowOf(
      'codehost_deliveries (delivery_key, event, bot_id, received_at, response)',
      sql`'k' || i, 'push', ${author.id}, ${later}, '{}'`,
    ),
    rowOf(
      'codehost_pushes (delivery_id, bug_id, comment, repository, ref, next_attempt_at, done_at)',
      sql`(SELECT id FROM codehost_deliveries WHERE delivery_key = 'k' || i), ${bug}, 'c', 'r', 'f', ${NOW}, ${later}`,
    ),
  )
}

test('the cron reads no more rows where twenty times as much is not due', async () => {
  await fill(FEW, 0)
  await countRowsOfCron()
  const few = await countRowsOfCron()
  await fill(MANY, FEW)
  await countRowsOfCron()
  const many = await countRowsOfCron()
  expect(few).toBeGreaterThan(0)
  expect(many).toBeLessThan(few + 100)
})
