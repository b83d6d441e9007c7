import { createExecutionContext, createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { scheduled } from '../../../src/cron.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import { deleteOldVisits, visitRetentionStart } from '../../../src/tracker/visits/delete-old.ts'
import { copyBug, insertBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'

const DAY = 86_400

const left = async (userId: number) =>
  (
    await execute(sql`SELECT bug_id, visited_at FROM visits WHERE user_id = ${userId}
    ORDER BY visited_at`)
  ).map((row) => Number(row.visited_at))

test('visits are kept for as many days as the setting has', () => {
  const now = 1_000_000_000
  expect(visitRetentionStart({ now, settings: readSettings({}) })).toBe(now - 10 * DAY)
  const settings = readSettings({ LAST_VISIT_KEEP_DAYS: '3' })
  expect(visitRetentionStart({ now, settings })).toBe(now - 3 * DAY)
})

test('each run of the cron removes what is older and keeps the rest', async () => {
  const { id } = await insertPerson()
  const [old, kept] = [await insertBug(), await insertBug()]
  await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES
    (${id}, ${old.id}, ${NOW - 10 * DAY - 60}), (${id}, ${kept.id}, ${NOW - 10 * DAY + 3600})`)
  const controller = createScheduledController({ cron: '*/5 * * * *' })
  await scheduled(controller, env, createExecutionContext())
  expect(await left(id)).toEqual([NOW - 10 * DAY + 3600])
})

test('a bounded number goes at once, oldest first', async () => {
  const one = await insertBug()
  const ids = await copyBug(one.id, 5003)
  const { id } = await insertPerson()
  await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at)
    SELECT ${id}, value, 1 + key FROM json_each(${JSON.stringify(ids)})`)
  const ctx = systemCtx(env, createExecutionContext())
  await deleteOldVisits(ctx)
  expect(await left(id)).toEqual([5001, 5002, 5003])
  await deleteOldVisits(ctx)
  expect(await left(id)).toEqual([])
})

test('two at once forget the same and nothing else', async () => {
  const { id } = await insertPerson()
  const [old, kept] = [await insertBug(), await insertBug()]
  await execute(sql`INSERT INTO visits (user_id, bug_id, visited_at) VALUES
    (${id}, ${old.id}, 1), (${id}, ${kept.id}, ${NOW})`)
  const ctx = () => systemCtx(env, createExecutionContext())
  await Promise.all([deleteOldVisits(ctx()), deleteOldVisits(ctx())])
  expect(await left(id)).toEqual([NOW])
})
