import { sql } from 'drizzle-orm'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { deliverWebhooks } from '../../../../src/edges/webhooks/delivery/deliver.ts'
import type { Ctx } from '../../../../src/platform/context.ts'
import { OUTBOXES } from '../../../../src/platform/outbox/outbox.ts'
import { copyBug, postBug } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { callWebhooks, insertWebhook } from '../../../support/builders/webhooks.ts'
import { put } from '../../../support/client.ts'
import { execute, loadRow } from '../../../support/database/execute.ts'
import {
  buildWorkerCtx,
  loadDeliveryRows,
  queueWebhooksOf,
  sendDeliveries,
} from '../../../support/deliver-webhooks.ts'
import { type Behaviour, openReceiver } from '../../../support/receiver/box.ts'

const SLOW = 40_000
const LATER = NOW + 3600

beforeEach(() => {
  vi.spyOn(console, 'warn').mockReturnValue()
  vi.spyOn(console, 'error').mockReturnValue()
})

const loadWebhook = (id: number) => loadRow('webhooks', sql`id = ${id}`)

async function deliverRows(ctx: Ctx, webhookId: number) {
  const rows = await loadDeliveryRows(webhookId)
  await deliverWebhooks(ctx, { ids: rows.map(({ id }) => Number(id)) })
}

/** A webhook with one waiting delivery of a new bug. */
async function buildScene(
  behaviour: Behaviour = 'ok',
  more: Parameters<typeof insertWebhook>[2] = {},
  owner?: TestPerson,
) {
  const [reporter, place] = [await insertPerson({ roles: ['editbugs'] }), await insertProduct()]
  const receiver = openReceiver(behaviour)
  const hookOwner = owner ?? (await insertPerson())
  const hook = await insertWebhook(hookOwner, receiver, { productId: place.id, ...more })
  const bug = await postBug(reporter, place)
  await queueWebhooksOf([bug])
  return { reporter, place, receiver, owner: hookOwner, hook, bug }
}

describe('a delivery that succeeds', () => {
  test('is received once with its bug, signed, and is done', async () => {
    const { receiver, hook, bug } = await buildScene()

    expect(await sendDeliveries([hook.id])).toEqual(['done'])
    expect(await sendDeliveries([hook.id])).toEqual(['done'])

    const [request, ...others] = await receiver.received()
    expect(others).toEqual([])
    expect(
      new Webhook(hook.secret).verify(request?.body ?? '', request?.headers ?? {}),
    ).toMatchObject({
      webhook_id: hook.id,
      event: { action: 'create' },
      bug: { id: bug },
    })
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'user-agent': 'Lacewing',
    })
    expect(await loadDeliveryRows(hook.id)).toMatchObject([
      {
        attempts: 1,
        last_error: null,
        lease_until: null,
        response_status: 200,
        response_excerpt: '{"ok":true}',
      },
    ])
    expect(await loadWebhook(hook.id)).toMatchObject({ errors: 0 })
  })

  test('of bugs that are too long to be read together comes with those of the others', async () => {
    const { reporter, place, receiver, hook, bug } = await buildScene()
    const bugs = [bug]
    while (bugs.length < 20) {
      bugs.push(await postBug(reporter, place))
    }
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 1000)
      INSERT INTO see_also (bug_id, url, url_fold) SELECT value, 'https://far.test/' || i, 'https://far.test/' || i
        FROM json_each(${JSON.stringify(bugs)}), n`)
    await queueWebhooksOf(bugs.slice(1))
    expect(await sendDeliveries([hook.id])).toEqual(bugs.map(() => 'done'))
    const messages = await receiver.messages()
    expect(
      messages.map((one) => [one.bug.id, one.bug.see_also.length]).toSorted(([a], [b]) => a - b),
    ).toEqual(bugs.map((id) => [id, 1000]))
  })

  test('carries the header of its owner', async () => {
    const { reporter, place, receiver, owner } = await buildScene('ok', { isEnabled: false })
    const { id } = await callWebhooks(owner, 'POST', '', {
      name: 'with header',
      url: receiver.url,
      event: 'create',
      product: place.name,
      header: { name: 'Authorization', value: 'Bearer tulip' },
    })
    await queueWebhooksOf([await postBug(reporter, place)])
    await sendDeliveries([id])
    expect(await receiver.received()).toMatchObject([
      { headers: { authorization: 'Bearer tulip' } },
    ])
  })
})

describe('a delivery that fails', () => {
  test.each([
    ['fails', 'answered with 500', 500],
    ['redirects', 'answered with 302', 302],
    ['closes', 'no connection, or it broke off', null],
  ] as const)('at a receiver that %s is tried again later', async (behaviour, error, status) => {
    const { receiver, hook } = await buildScene(behaviour)
    const ctx = buildWorkerCtx()
    const [row] = await loadDeliveryRows(hook.id)

    const outcomes = await deliverWebhooks(ctx, { ids: [Number(row?.id)] })

    expect(outcomes.get(Number(row?.id))).toEqual({ retryInSeconds: 5 })
    expect(await loadDeliveryRows(hook.id)).toMatchObject([
      {
        attempts: 1,
        done_at: null,
        lease_until: null,
        last_error: error,
        response_status: status,
        next_attempt_at: ctx.now + 5,
      },
    ])
    expect(await loadWebhook(hook.id)).toMatchObject({ errors: 1, is_enabled: 1 })
    expect(await receiver.received()).toHaveLength(1)
  })

  test('keeps its ID and makes its message anew at each attempt', async () => {
    const { reporter, receiver, hook, bug } = await buildScene('fails')
    await sendDeliveries([hook.id])
    await put(reporter, `/rest/bug/${bug}`, { summary: 'Now it is known' })
    await receiver.behave('ok')
    await sendDeliveries([hook.id], { now: LATER })
    const requests = await receiver.received()
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
    expect(requests.map(({ body }) => JSON.parse(body).bug.summary)).toEqual([
      expect.not.stringContaining('known'),
      'Now it is known',
    ])
    expect(await loadDeliveryRows(hook.id)).toMatchObject([
      { attempts: 2, last_error: null, response_status: 200, done_at: LATER },
    ])
    expect(await loadWebhook(hook.id)).toMatchObject({ errors: 1 })
  })

  test('is given up after its last attempt, which disables the webhook', async () => {
    const { hook } = await buildScene('fails')
    await execute(sql`UPDATE webhook_deliveries SET attempts = ${OUTBOXES.webhook.maxAttempts - 1}
      WHERE webhook_id = ${hook.id}`)
    expect(await sendDeliveries([hook.id])).toEqual(['done'])
    expect(await loadWebhook(hook.id)).toMatchObject({ errors: 1, is_enabled: 0 })
    const [row] = await loadDeliveryRows(hook.id)
    expect(row).toMatchObject({ last_error: 'answered with 500' })
    expect(row?.done_at).not.toBeNull()
  })

  test('whose worker died is sent again with the same ID when the lease has run out', async () => {
    const { receiver, hook } = await buildScene()
    const [row] = await loadDeliveryRows(hook.id)
    const dead = { attempts: 1, lease_until: NOW + 900 }
    await execute(sql`UPDATE webhook_deliveries SET attempts = ${dead.attempts},
      lease_until = ${dead.lease_until} WHERE id = ${row?.id}`)
    expect(await sendDeliveries([hook.id])).toEqual(['done'])
    expect(await receiver.received()).toEqual([])
    await sendDeliveries([hook.id], { now: LATER })
    expect(await receiver.received()).toMatchObject([
      { headers: { 'webhook-id': `msg_${row?.id}` } },
    ])
  })
})

describe('a receiver that hangs', () => {
  test(
    'holds up no other, and is not asked again in the same batch',
    async () => {
      const hanging = await buildScene('hangs')
      await execute(
        sql`UPDATE webhook_deliveries SET attempts = 3 WHERE webhook_id = ${hanging.hook.id}`,
      )
      const further = await postBug(hanging.reporter, hanging.place)
      await queueWebhooksOf([further])
      const good = await buildScene()
      // the lane of a receiver is its host
      await execute(
        sql`UPDATE webhooks SET url = replace(url, '127.0.0.1', 'localhost') WHERE id = ${good.hook.id}`,
      )
      const began = Date.now()
      const sending = sendDeliveries([hanging.hook.id, good.hook.id])
      while ((await loadDeliveryRows(good.hook.id))[0]?.done_at === null) {
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
      expect(Date.now() - began).toBeLessThan(8000)
      expect(
        (await loadDeliveryRows(hanging.hook.id)).map((row) => row.lease_until === null),
      ).toEqual([false, false])
      const outcomes = await sending
      expect(await hanging.receiver.received()).toHaveLength(1)
      expect(await loadDeliveryRows(hanging.hook.id)).toMatchObject([
        { attempts: 4, last_error: 'no complete answer in 10 seconds', done_at: null },
        { attempts: 0, last_error: 'the receiver failed a moment ago', done_at: null },
      ])
      const [tried, waiting] = await loadDeliveryRows(hanging.hook.id)
      expect(waiting?.next_attempt_at).toBe(tried?.next_attempt_at)
      expect(waiting?.next_attempt_at).toBeGreaterThanOrEqual(Math.floor(began / 1000) + 625)
      expect(outcomes.slice(0, 2)).toEqual([{ retryInSeconds: 625 }, { retryInSeconds: 625 }])
      expect(await loadWebhook(hanging.hook.id)).toMatchObject({ errors: 1 })
    },
    SLOW,
  )
})

describe('a receiver that fails slowly', () => {
  test('is left alone in the batch and for ten times as long, which would hold up those behind it', async () => {
    const { reporter, place, receiver, hook } = await buildScene('fails-late')
    await queueWebhooksOf([await postBug(reporter, place)])
    const ctx = buildWorkerCtx()
    await deliverRows(ctx, hook.id)
    expect(await receiver.received()).toHaveLength(1)
    const [tried, waiting] = await loadDeliveryRows(hook.id)
    expect(tried).toMatchObject({ attempts: 1, last_error: 'answered with 500' })
    expect(waiting).toMatchObject({ attempts: 0, last_error: 'the receiver failed a moment ago' })
    expect(Number(waiting?.next_attempt_at) - ctx.now).toBeGreaterThanOrEqual(10)

    await queueWebhooksOf([await postBug(reporter, place)])
    await deliverRows(ctx, hook.id)
    expect(await receiver.received()).toHaveLength(1)
  })

  test('gets a ping all the same, for which its owner waits', async () => {
    const { owner, receiver, hook } = await buildScene('fails-late')
    const ctx = buildWorkerCtx()
    await deliverRows(ctx, hook.id)
    await callWebhooks(owner, 'POST', `/${hook.id}/test`)
    await deliverRows(ctx, hook.id)
    expect(await receiver.messages()).toMatchObject([
      { event: { action: 'create' } },
      { event: { action: 'ping' } },
    ])
  })

  test('is first asked for what failed less often, so that no message keeps the others back', async () => {
    const { reporter, place, receiver, hook } = await buildScene('fails-late')
    await execute(sql`UPDATE webhook_deliveries SET attempts = 3, last_error = 'answered with 500'
      WHERE webhook_id = ${hook.id}`)
    await queueWebhooksOf([await postBug(reporter, place)])
    await sendDeliveries([hook.id])
    const [failed, other] = await loadDeliveryRows(hook.id)
    expect(await receiver.received()).toMatchObject([
      { headers: { 'webhook-id': `msg_${other?.id}` } },
    ])
    expect(failed).toMatchObject({ attempts: 3 })
  })

  test('leaves a message that it held up with the reason why its last attempt failed', async () => {
    const { reporter, place, hook } = await buildScene('fails-late')
    await execute(sql`UPDATE webhook_deliveries SET attempts = 3, last_error = 'no complete answer in 10 seconds'
      WHERE webhook_id = ${hook.id}`)
    await queueWebhooksOf([await postBug(reporter, place)])
    await sendDeliveries([hook.id])
    const [heldUp] = await loadDeliveryRows(hook.id)
    expect(heldUp).toMatchObject({ attempts: 3, last_error: 'no complete answer in 10 seconds' })
  })
})

describe('a delivery is dropped', () => {
  test('when its owner no longer sees the bug', async () => {
    const { receiver, hook, bug } = await buildScene()
    const secret = await insertGroup()
    await execute(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${bug}, ${secret.id})`)
    expect(await sendDeliveries([hook.id])).toEqual(['done'])
    expect(await receiver.received()).toEqual([])
    expect(await loadDeliveryRows(hook.id)).toEqual([])
  })

  test('when its owner no longer sees the product', async () => {
    const { receiver, hook, place } = await buildScene()
    const secret = await insertGroup()
    await execute(sql`INSERT INTO group_controls (product_id, group_id, membercontrol, othercontrol)
      VALUES (${place.id}, ${secret.id}, 3, 3)`)
    await sendDeliveries([hook.id])
    expect(await receiver.received()).toEqual([])
    expect(await loadDeliveryRows(hook.id)).toEqual([])
  })

  test('when the account of its owner is disabled', async () => {
    const { receiver, hook, owner } = await buildScene()
    await execute(sql`UPDATE users SET login_denied_text = 'Left.' WHERE id = ${owner.id}`)
    await sendDeliveries([hook.id])
    expect(await receiver.received()).toEqual([])
    expect(await loadDeliveryRows(hook.id)).toEqual([])
  })

  test('with its webhook, also while it is under way', async () => {
    const { receiver, hook, owner } = await buildScene()
    await callWebhooks(owner, 'DELETE', `/${hook.id}`)
    expect(await loadDeliveryRows(hook.id)).toEqual([])
    expect(await receiver.received()).toEqual([])
  })
})

describe('a disabled webhook', () => {
  test('keeps its backlog, whose attempts do not count, until it is enabled again', async () => {
    const { receiver, hook, owner, place, reporter } = await buildScene('fails')
    await sendDeliveries([hook.id])
    await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: false })
    await queueWebhooksOf([await postBug(reporter, place)])
    await sendDeliveries([hook.id], { now: LATER })
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ attempts: 1, done_at: null }])
    await receiver.behave('ok')
    await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: true })
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ attempts: 0 }])
    await sendDeliveries([hook.id])
    expect(await receiver.received()).toHaveLength(2)
    expect(await loadWebhook(hook.id)).toMatchObject({ errors: 0 })
  })

  test('that was disabled while a delivery waited in the queue puts that off', async () => {
    const { receiver, hook } = await buildScene()
    await execute(sql`UPDATE webhooks SET is_enabled = 0 WHERE id = ${hook.id}`)
    await sendDeliveries([hook.id])
    const [row] = await loadDeliveryRows(hook.id)
    expect(row).toMatchObject({ attempts: 0, done_at: null, last_error: null })
    expect(Number(row?.next_attempt_at)).toBe(Number(row?.created_at) + 30 * 86_400)
    await sendDeliveries([hook.id], { now: NOW + 31 * 86_400 })
    expect(await loadDeliveryRows(hook.id)).toEqual([])
    expect(await receiver.received()).toEqual([])
  })
})

describe('the cost of a batch', () => {
  test('takes four round trips for any number of deliveries and owners', async () => {
    const costOf = async (ids: readonly number[]) => {
      const ctx = buildWorkerCtx()
      await deliverWebhooks(ctx, { ids })
      return ctx.session.cost.trips
    }
    const one = await buildScene()
    const [single] = await loadDeliveryRows(one.hook.id)
    expect(await costOf([Number(single?.id)])).toBe(4)

    const hooks = [one.hook.id]
    for (let n = 0; n < 4; n += 1) {
      const { id } = await insertWebhook(await insertPerson(), one.receiver, {
        productId: one.place.id,
      })
      hooks.push(id)
    }
    const bugs = await copyBug(one.bug, 5)
    await execute(sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, next_attempt_at)
      SELECT value, ${one.reporter.id}, 'created', ${NOW}, ${NOW} FROM json_each(${JSON.stringify(bugs)})`)
    await queueWebhooksOf(bugs)
    const rows = (await loadDeliveryRows(...hooks)).filter((row) => row.done_at === null)
    expect(rows).toHaveLength(25)
    expect(await costOf(rows.map(({ id }) => Number(id)))).toBe(4)
    expect(await one.receiver.received()).toHaveLength(26)

    await one.receiver.behave('fails')
    await execute(sql`UPDATE webhook_deliveries SET done_at = NULL, attempts = 0
      WHERE id IN (SELECT value FROM json_each(${JSON.stringify(rows.map(({ id }) => id))}))`)
    // one more for each second that the batch takes
    expect(await costOf(rows.map(({ id }) => Number(id)))).toBeLessThanOrEqual(6)
    expect(await loadWebhook(one.hook.id)).toMatchObject({ errors: 5 })
  })
})
