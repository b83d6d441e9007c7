import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { expectFault, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'
import { queueWebhooksOf, sendDeliveries } from '../../support/deliver-webhooks.ts'
import { type Behaviour, openReceiver } from '../../support/receiver/box.ts'

/** A webhook with deliveries of that many new bugs, newest first. */
async function buildScene(behaviour: Behaviour, count: number) {
  const [owner, place] = [await insertPerson(), await insertProduct()]
  const hook = await insertWebhook(owner, openReceiver(behaviour), { productId: place.id })
  const bugs: number[] = []
  for (let n = 0; n < count; n += 1) {
    bugs.unshift(await postBug(owner, place))
  }
  await queueWebhooksOf(bugs)
  const list = async (query = '') =>
    (await get(owner, `/rest/webhooks/${hook.id}/deliveries${query}`)).body.deliveries
  return { owner, hook, bugs, list }
}

describe('GET /webhooks/{id}/deliveries', () => {
  test('lists waiting and delivered messages', async () => {
    const { hook, bugs, list } = await buildScene('ok', 1)
    const entry = { id: expect.any(Number), event: 'create', bug_id: bugs[0], error: null }
    expect(await list()).toEqual([
      {
        ...entry,
        created: expect.any(String),
        attempts: 0,
        status: 'queued',
        response_status: null,
        response_excerpt: null,
        next_attempt: expect.any(String),
      },
    ])
    await sendDeliveries([hook.id])
    expect(await list()).toMatchObject([
      {
        ...entry,
        attempts: 1,
        status: 'delivered',
        response_status: 200,
        response_excerpt: '{"ok":true}',
        next_attempt: null,
      },
    ])
  })

  test('says why an attempt failed and when the next one is', async () => {
    vi.spyOn(console, 'warn').mockReturnValueOnce()
    const { hook, list } = await buildScene('fails', 1)
    await sendDeliveries([hook.id])
    expect(await list()).toMatchObject([
      {
        attempts: 1,
        status: 'queued',
        response_status: 500,
        response_excerpt: 'out of order',
        error: 'answered with 500',
        next_attempt: expect.any(String),
      },
    ])
    await execute(sql`UPDATE webhook_deliveries SET done_at = 1 WHERE webhook_id = ${hook.id}`)
    expect(await list()).toMatchObject([{ status: 'failed', next_attempt: null }])
  })

  test('pages through deliveries, newest first', async () => {
    const { bugs, list } = await buildScene('ok', 3)
    const bugsOf = (deliveries: { bug_id: number }[]) => deliveries.map(({ bug_id }) => bug_id)
    expect(bugsOf(await list())).toEqual(bugs)
    expect(bugsOf(await list('?limit=1&offset=1'))).toEqual(bugs.slice(1, 2))
    expect(await list('?limit=1&include_fields=bug_id')).toEqual([{ bug_id: bugs[0] }])
  })

  test('reads no notice that is done, and passes over at most 10,000 deliveries', async () => {
    const { hook, owner } = await buildScene('ok', 1)
    const path = `/rest/webhooks/${hook.id}/deliveries?limit=1`
    const before = (await get(owner, path)).cost.read
    await execute(
      sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, next_attempt_at, done_at)
        SELECT bug_id, author_id, 'changed', 1, 1, 1 FROM notices, json_each(${JSON.stringify(Array(500).fill(0))})
        WHERE notices.id = (SELECT max(id) FROM notices)`,
    )
    // other tests leave some work behind
    expect((await get(owner, path)).cost.read - before).toBeLessThan(100)
    expectFault(await get(owner, `${path}&offset=10001`), 400, 54, 'offset')
  })

  test('says that the backlog of a webhook waits until it is released, and leaves the mail about that out', async () => {
    const { hook, list } = await buildScene('ok', 1)
    await execute(
      sql`UPDATE webhooks SET is_enabled = 0 WHERE id = ${hook.id}`,
      sql`INSERT INTO webhook_deliveries (webhook_id, event, created_at, next_attempt_at)
        VALUES (${hook.id}, 'disabled', 1, 1)`,
    )
    expect(await list()).toMatchObject([{ status: 'queued', next_attempt: null }])
    await execute(sql`UPDATE webhooks SET is_enabled = 1, held_after_id = 0 WHERE id = ${hook.id}`)
    expect(await list()).toMatchObject([{ status: 'queued', next_attempt: null }])
    await execute(sql`UPDATE webhooks SET held_after_id = NULL WHERE id = ${hook.id}`)
    expect(await list()).toMatchObject([{ status: 'queued', next_attempt: expect.any(String) }])
  })

  test('calls the restriction of a bug a change', async () => {
    const { hook, list } = await buildScene('ok', 1)
    await execute(
      sql`UPDATE webhook_deliveries SET event = 'restriction' WHERE webhook_id = ${hook.id}`,
    )
    expect(await list()).toMatchObject([{ event: 'change' }])
  })
})
