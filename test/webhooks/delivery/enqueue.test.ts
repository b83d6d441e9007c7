import { expect, test } from 'vitest'
import { enqueueDeliveries } from '../../../src/webhooks/delivery/enqueue.ts'
import { buildWorkerCtx } from '../../support/deliver-webhooks.ts'

test('each delivery has a message of its own, in batches that the queue accepts', async () => {
  const batches: MessageSendRequest[][] = []
  const EVENTS = { sendBatch: async (messages: MessageSendRequest[]) => batches.push(messages) }
  const ids = Array.from({ length: 250 }, (_, n) => n + 1)
  enqueueDeliveries(buildWorkerCtx({ bindings: { EVENTS } }), ids, 7)
  await Promise.resolve()
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(batches[2]?.at(-1)).toEqual({ body: { kind: 'webhook', id: 250 }, delaySeconds: 7 })
})

test('nothing is sent for no delivery', () => {
  const EVENTS = {
    sendBatch: () => {
      throw new Error('sent')
    },
  }
  enqueueDeliveries(buildWorkerCtx({ bindings: { EVENTS } }), [])
})
