import { expect, test, vi } from 'vitest'
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

test('a ping that fails is over: neither the queue nor the log hears of another attempt', async () => {
  const owner = await insertPerson()
  const { id } = await insertWebhook(owner, openReceiver('fails'))
  await callWebhooks(owner, 'POST', `/${id}/test`)
  const warn = vi.spyOn(console, 'warn')
  expect(await sendDeliveries([id])).toEqual(['done'])
  expect(warn).not.toHaveBeenCalled()
  expect(await callWebhooks(owner, 'GET', `/${id}/deliveries`)).toMatchObject({
    deliveries: [{ status: 'failed', error: 'answered with 500', next_attempt: null }],
  })
})
