import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { expectFault, get, send } from '../../support/client.ts'
import { countRows, execute, loadRow } from '../../support/database/execute.ts'

test('a webhook is removed with its deliveries, by its owner or an administrator', async () => {
  const [owner, admin] = [await insertPerson(), await insertPerson({ roles: ['admin'] })]
  for (const who of [owner, admin]) {
    const { id } = await insertWebhook(
      owner,
      { url: 'https://hooks.example.com/' },
      { name: 'mine' },
    )
    await execute(sql`INSERT INTO webhook_deliveries (webhook_id, event, created_at, next_attempt_at)
      VALUES (${id}, 'ping', ${NOW}, ${NOW})`)
    const answer = await send(who, 'DELETE', `/rest/webhooks/${id}`)
    expect(answer.body).toEqual({ success: 1 })
    expectFault(await get(owner, `/rest/webhooks/${id}`), 404, 51)
    expect(await countRows('webhook_deliveries', sql`webhook_id = ${id}`)).toBe(0)
    expect(
      await loadRow('audit_log', sql`object_class = 'Webhook' AND object_id = ${id}`),
    ).toMatchObject({ action: 'remove', user_id: who.id })
    expectFault(await send(who, 'DELETE', `/rest/webhooks/${id}`), 404, 51)
  }
})

async function insertWebhookOf(owner: TestPerson, deliveries: number): Promise<number> {
  const { id } = await insertWebhook(owner, { url: 'https://hooks.example.com/' })
  await execute(sql`INSERT INTO webhook_deliveries (webhook_id, event, created_at, next_attempt_at)
    WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n LIMIT ${deliveries} + 0)
    SELECT ${id}, 'create', ${NOW}, ${NOW} FROM n`)
  return id
}

test('a webhook of many deliveries is removed with all of them', async () => {
  const owner = await insertPerson()
  const id = await insertWebhookOf(owner, 10_001)

  expect((await send(owner, 'DELETE', `/rest/webhooks/${id}`)).body).toEqual({ success: 1 })
  expect(await countRows('webhook_deliveries', sql`webhook_id = ${id}`)).toBe(0)
})

test('a webhook of more deliveries than a request removes is removed by the next one', async () => {
  const owner = await insertPerson()
  const id = await insertWebhookOf(owner, 46_000)

  expectFault(await send(owner, 'DELETE', `/rest/webhooks/${id}`), 503, 32000, 'again')
  expect(await countRows('webhook_deliveries', sql`webhook_id = ${id}`)).toBe(6000)
  expect((await send(owner, 'DELETE', `/rest/webhooks/${id}`)).body).toEqual({ success: 1 })
})
