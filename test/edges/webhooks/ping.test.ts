import { expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { callWebhooks, insertWebhook } from '../../support/builders/webhooks.ts'
import { loadDeliveryRows, sendDeliveries } from '../../support/deliver-webhooks.ts'
import { openReceiver } from '../../support/receiver/box.ts'

test('a ping is queued and sent, to a disabled webhook too', async () => {
  const owner = await insertPerson()
  const receiver = openReceiver()
  const { id } = await insertWebhook(owner, receiver, { isEnabled: false })
  const { delivery } = await callWebhooks(owner, 'POST', `/${id}/test`)
  expect(await loadDeliveryRows(id)).toMatchObject([
    { id: delivery, event: 'ping', bug_id: null, notice_id: null, attempts: 0 },
  ])
  await sendDeliveries([id])
  expect(await receiver.messages()).toMatchObject([{ event: { action: 'ping' } }])
})
