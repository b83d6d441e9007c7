import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { callWebhooks, insertWebhook } from '../../support/builders/webhooks.ts'
import { execute } from '../../support/database/execute.ts'
import {
  loadDeliveryRows,
  queueWebhooksOf,
  sendDeliveries,
} from '../../support/deliver-webhooks.ts'
import { openReceiver } from '../../support/receiver/box.ts'

async function buildScene() {
  const [owner, place] = [await insertPerson(), await insertProduct()]
  const receiver = openReceiver()
  const hook = await insertWebhook(owner, receiver, { productId: place.id })
  await queueWebhooksOf([await postBug(owner, place)])
  const [row] = await loadDeliveryRows(hook.id)
  return { owner, receiver, hook, delivery: Number(row?.id) }
}

describe('POST /webhooks/deliveries/{id}/redeliver', () => {
  test('sends a delivery again under the same ID, as often as it is wanted', async () => {
    const { owner, receiver, hook, delivery } = await buildScene()
    for (let n = 0; n < 3; n += 1) {
      await sendDeliveries([hook.id])
      expect(await callWebhooks(owner, 'POST', `/deliveries/${delivery}/redeliver`)).toEqual({
        delivery,
      })
    }
    const ids = (await receiver.received()).map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual(Array.from({ length: 3 }, () => `msg_${delivery}`))
  })

  test('gives one that was given up all of its attempts', async () => {
    const { owner, receiver, hook, delivery } = await buildScene()
    await execute(sql`UPDATE webhook_deliveries SET attempts = 100, done_at = 1, last_error = 'no'
      WHERE id = ${delivery}`)
    await callWebhooks(owner, 'POST', `/deliveries/${delivery}/redeliver`)
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ attempts: 0, done_at: null }])
    await sendDeliveries([hook.id])
    expect(await receiver.received()).toHaveLength(1)
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ attempts: 1, last_error: null }])
  })

  test('leaves one alone that is being sent', async () => {
    const { owner, hook, delivery } = await buildScene()
    const lease = NOW + 900
    await execute(sql`UPDATE webhook_deliveries SET attempts = 2, lease_until = ${lease}
      WHERE id = ${delivery}`)
    await callWebhooks(owner, 'POST', `/deliveries/${delivery}/redeliver`)
    expect(await loadDeliveryRows(hook.id)).toMatchObject([{ attempts: 2, lease_until: lease }])
  })
})
