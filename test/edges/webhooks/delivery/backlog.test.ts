import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  BACKLOG_SECONDS,
  disableStatements,
  parkDueStatement,
  parkStatement,
  releaseBacklogs,
  releaseStatements,
} from '../../../../src/edges/webhooks/delivery/backlog.ts'
import { deliverWebhooks } from '../../../../src/edges/webhooks/delivery/deliver.ts'
import { deleteOldWork } from '../../../../src/platform/outbox/sweep.ts'
import { insertBug, postBug } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
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
import { openReceiver } from '../../../support/receiver/box.ts'

const HOUR = 3600

type Hook = NonNullable<Parameters<typeof insertWebhook>[2]>

/** A webhook with a waiting delivery, one that is being sent, one that is done, and a ping. */
async function buildScene(more: Hook = {}) {
  const target = { url: 'https://hooks.example.com/' }
  const { id } = await insertWebhook(await insertPerson(), target, more)
  const insert = (event: string, columns: { leaseUntil?: number; doneAt?: number } = {}) =>
    sql`INSERT INTO webhook_deliveries (webhook_id, event, created_at, next_attempt_at, attempts,
        lease_until, done_at)
      VALUES (${id}, ${event}, ${NOW}, ${NOW}, 3, ${columns.leaseUntil ?? null}, ${columns.doneAt ?? null})`
  await execute(
    insert('create'),
    insert('change', { leaseUntil: NOW + 60 }),
    insert('comment', { doneAt: NOW }),
    insert('ping'),
  )
  const attemptsAt = async () =>
    (await loadDeliveryRows(id)).map(({ next_attempt_at }) => Number(next_attempt_at) - NOW)
  return { id, attemptsAt }
}

/** A webhook whose four deliveries all wait for it. */
async function buildLong(more: Hook = {}) {
  const scene = await buildScene(more)
  await execute(sql`UPDATE webhook_deliveries SET event = 'change', lease_until = NULL, done_at = NULL,
      next_attempt_at = ${NOW + BACKLOG_SECONDS} WHERE webhook_id = ${scene.id}`)
  return scene
}

const loadHeldAfter = async (id: number) =>
  (await loadRow('webhooks', sql`id = ${id}`))?.held_after_id

describe('the backlog of a disabled webhook', () => {
  test('is put off when a part of it is due: no ping, nothing that is being sent, nothing that is done', async () => {
    const { id, attemptsAt } = await buildScene({ isEnabled: false })
    const other = await buildScene()
    await execute(parkDueStatement(NOW))
    expect(await attemptsAt()).toEqual([BACKLOG_SECONDS, 0, 0, 0])
    expect(await other.attemptsAt()).toEqual([0, 0, 0, 0])
    expect((await loadDeliveryRows(id)).map(({ attempts }) => attempts)).toEqual([3, 3, 3, 3])
  })

  test('is put off with the first of it that a worker meets', async () => {
    const { id, attemptsAt } = await buildLong({ isEnabled: false })
    await execute(sql`UPDATE webhook_deliveries SET next_attempt_at = created_at, attempts = 0
      WHERE webhook_id = ${id}`)
    const [first] = await loadDeliveryRows(id)
    await deliverWebhooks(buildWorkerCtx({ now: NOW }), { ids: [Number(first?.id)] })
    expect(await attemptsAt()).toEqual(Array(4).fill(BACKLOG_SECONDS))
    const untried = { attempts: 0, lease_until: null, last_error: null }
    expect(await loadDeliveryRows(id)).toMatchObject(Array(4).fill(untried))
  })

  test('is not put off by a worker that did not see that it was enabled', async () => {
    const { id, attemptsAt } = await buildScene()
    const [first] = await loadDeliveryRows(id)
    await execute(parkStatement(Number(first?.id), NOW))
    expect(await attemptsAt()).toEqual([0, 0, 0, 0])
  })

  test('is due at once with all attempts ahead when the webhook is enabled', async () => {
    const { id, attemptsAt } = await buildScene({ heldAfterId: 0 })
    await execute(parkDueStatement(NOW))
    const released = await execute(...releaseStatements(id, NOW))
    expect(released).toHaveLength(1)
    expect(await attemptsAt()).toEqual([0, 0, 0, 0])
    expect((await loadDeliveryRows(id)).map(({ attempts }) => attempts)).toEqual([0, 3, 3, 3])
    expect(await loadHeldAfter(id)).toBeNull()
  })
})

describe('a long backlog of a webhook that was enabled', () => {
  const ctx = buildWorkerCtx({ now: NOW })

  test('is due in parts, the oldest first', async () => {
    const { id, attemptsAt } = await buildLong({ heldAfterId: 0 })
    await execute(...releaseStatements(id, NOW, 1))
    expect(await attemptsAt()).toEqual([0, BACKLOG_SECONDS, BACKLOG_SECONDS, BACKLOG_SECONDS])
    await releaseBacklogs(ctx, 2)
    expect(await attemptsAt()).toEqual([0, 0, 0, BACKLOG_SECONDS])
    await releaseBacklogs(ctx, 2)
    expect(await attemptsAt()).toEqual([0, 0, 0, 0])
    expect((await loadDeliveryRows(id)).map(({ attempts }) => attempts)).toEqual([0, 0, 0, 0])
    expect(await loadHeldAfter(id)).toBeNull()
  })

  test('shares a part with that of another', async () => {
    const [one, other] = [await buildLong({ heldAfterId: 0 }), await buildLong({ heldAfterId: 0 })]
    await releaseBacklogs(ctx, 4)
    for (const { id, attemptsAt } of [one, other]) {
      expect(await attemptsAt()).toEqual([0, 0, BACKLOG_SECONDS, BACKLOG_SECONDS])
      await execute(sql`UPDATE webhooks SET held_after_id = NULL WHERE id = ${id}`)
    }
  })

  test('waits again when it is disabled meanwhile', async () => {
    const { id, attemptsAt } = await buildLong({ heldAfterId: 0 })
    await execute(...releaseStatements(id, NOW, 2))
    await execute(sql`UPDATE webhooks SET is_enabled = 0 WHERE id = ${id}`)
    await execute(...releaseStatements(id, NOW, 2))
    await execute(parkDueStatement(NOW))
    expect(await attemptsAt()).toEqual(Array(4).fill(BACKLOG_SECONDS))
  })

  test('loses nothing that becomes too old while it waits for older ones', async () => {
    const { id, attemptsAt } = await buildLong({ heldAfterId: 0 })
    const age = BACKLOG_SECONDS + 60
    await execute(sql`UPDATE webhook_deliveries SET created_at = ${NOW - age}, next_attempt_at = ${NOW - 60}
      WHERE webhook_id = ${id}`)
    await sendDeliveries([id], { now: NOW })
    expect(await attemptsAt()).toEqual(Array(4).fill(HOUR))
    await execute(...releaseStatements(id, NOW))
    expect(await attemptsAt()).toEqual([0, 0, 0, 0])
  })
})

test('messages about a bug keep their order while their webhook is disabled, enabled and gets newer ones', async () => {
  const [reporter, owner] = [await insertPerson({ roles: ['editbugs'] }), await insertPerson()]
  const place = await insertProduct()
  const receiver = openReceiver()
  const hook = await insertWebhook(owner, receiver, { productId: place.id })
  const bug = await postBug(reporter, place)
  const change = async (n: number) => {
    const { status } = await put(reporter, `/rest/bug/${bug}`, { whiteboard: `${n}` })
    expect(status).toBe(200)
  }
  for (const n of [1, 2, 3]) {
    await change(n)
  }
  await queueWebhooksOf([bug])
  await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: false })
  await sendDeliveries([hook.id])

  // as when the request that enabled it released the first two
  await execute(sql`UPDATE webhooks SET is_enabled = 1, held_after_id = 0 WHERE id = ${hook.id}`)
  await execute(...releaseStatements(hook.id, NOW, 2))
  await change(4)
  await queueWebhooksOf([bug])
  const held = (await loadDeliveryRows(hook.id)).slice(2)
  for (const { next_attempt_at, created_at } of held) {
    expect(next_attempt_at).toBe(Number(created_at) + BACKLOG_SECONDS)
  }
  // as when somebody sends them again
  await execute(sql`UPDATE webhook_deliveries SET next_attempt_at = created_at
    WHERE webhook_id = ${hook.id} AND next_attempt_at > created_at`)
  const newer = held.map(({ id }) => Number(id))
  await deliverWebhooks(buildWorkerCtx(), { ids: newer })
  expect(await receiver.received()).toEqual([])
  for (let part = 0; part < 3; part += 1) {
    await sendDeliveries([hook.id])
    expect(await receiver.received()).toHaveLength(Math.min(5, 2 + 2 * part))
    await releaseBacklogs(buildWorkerCtx(), 2)
  }

  const received = (await receiver.received()).map(({ headers }) => headers['webhook-id'])
  const all = (await loadDeliveryRows(hook.id)).map(({ id }) => `msg_${id}`)
  expect(received).toEqual(all)
  expect(all).toHaveLength(5)
  await change(5)
  await queueWebhooksOf([bug])
  await sendDeliveries([hook.id])
  expect(await receiver.received()).toHaveLength(6)
})

test('a message whose webhook is enabled just before it is too old still has its attempts', async () => {
  const [reporter, owner] = [await insertPerson(), await insertPerson()]
  const place = await insertProduct()
  const receiver = openReceiver('fails')
  const hook = await insertWebhook(owner, receiver, { productId: place.id })
  const bug = await postBug(reporter, place)
  await queueWebhooksOf([bug])
  await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: false })
  await sendDeliveries([hook.id])
  await execute(
    sql`UPDATE notices SET done_at = ${NOW - BACKLOG_SECONDS + 60}, lease_until = NULL WHERE bug_id = ${bug}`,
    sql`UPDATE webhook_deliveries SET created_at = ${NOW - BACKLOG_SECONDS + 60} WHERE webhook_id = ${hook.id}`,
  )
  await callWebhooks(owner, 'PUT', `/${hook.id}`, { enabled: true })
  await sendDeliveries([hook.id])
  await receiver.behave('ok')

  const later = NOW + 24 * HOUR
  await deleteOldWork(buildWorkerCtx({ now: later }))
  await sendDeliveries([hook.id], { now: later })
  expect(await receiver.received()).toHaveLength(2)
  expect(await loadDeliveryRows(hook.id)).toMatchObject([{ done_at: later, last_error: null }])
})

test('no request that disables or enables a webhook costs more because a longer backlog waits for it', async () => {
  const owner = await insertPerson()
  const { id: bug } = await insertBug({ reporter: owner })
  const costsWith = async (count: number) => {
    const { id } = await insertWebhook(owner, { url: 'https://hooks.example.com/' })
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ${count})
      INSERT INTO webhook_deliveries (webhook_id, event, bug_id, created_at, next_attempt_at)
      SELECT ${id}, 'change', ${bug}, ${NOW}, ${NOW} FROM n`)
    const costs = []
    for (const enabled of [false, true]) {
      const { cost } = await put(owner, `/rest/webhooks/${id}`, { enabled })
      costs.push([cost.read, cost.written])
    }
    await execute(sql`DELETE FROM webhook_deliveries WHERE webhook_id = ${id}`)
    return costs
  }
  const [few, many] = [await costsWith(5500), await costsWith(11_000)]
  expect(many).toEqual(few)
  expect(Math.max(...(many[0] ?? []))).toBeLessThan(100)
})

describe('disabling a webhook', () => {
  test('queues one mail, however many deliveries disable it', async () => {
    const { id, attemptsAt } = await buildScene()
    const [failed] = await loadDeliveryRows(id)
    const statements = disableStatements({ webhookId: id, deliveryId: Number(failed?.id) }, NOW)
    await execute(...statements)
    await execute(...statements)
    expect(await loadRow('webhooks', sql`id = ${id}`)).toMatchObject({ is_enabled: 0, revision: 1 })
    expect(await attemptsAt()).toEqual([BACKLOG_SECONDS, 0, 0, 0, 0])
    expect((await loadDeliveryRows(id)).slice(4)).toMatchObject([
      { event: 'disabled', subject_id: failed?.id, bug_id: null, notice_id: null },
    ])
  })
})
