import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  BACKLOG_SECONDS,
  disableStatements,
  parkBacklogStatement,
  resumeBacklogStatement,
} from '../../../../src/edges/webhooks/delivery/backlog.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { insertWebhook } from '../../../support/builders/webhooks.ts'
import { execute, loadRow } from '../../../support/database/execute.ts'
import { loadDeliveryRows } from '../../../support/deliver-webhooks.ts'

/** A webhook with a waiting delivery, one that is being sent, one that is done, and a ping. */
async function buildScene() {
  const { id } = await insertWebhook(await insertPerson(), { url: 'https://hooks.example.com/' })
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

describe('the backlog of a disabled webhook', () => {
  test('is what waits: no ping, nothing that is being sent, nothing that is done', async () => {
    const { id, attemptsAt } = await buildScene()
    await execute(parkBacklogStatement(id, NOW))
    expect(await attemptsAt()).toEqual([BACKLOG_SECONDS, 0, 0, 0])
  })

  test('is due at once with all attempts ahead when the webhook is enabled', async () => {
    const { id, attemptsAt } = await buildScene()
    await execute(parkBacklogStatement(id, NOW))
    const resumed = await execute(resumeBacklogStatement(id, NOW))
    expect(resumed).toHaveLength(1)
    expect(await attemptsAt()).toEqual([0, 0, 0, 0])
    expect((await loadDeliveryRows(id)).map(({ attempts }) => attempts)).toEqual([0, 3, 3, 3])
  })
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
