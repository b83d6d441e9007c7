import { expect, test } from 'vitest'
import { announceDeliveries } from '../../../../src/edges/webhooks/delivery/announce.ts'
import { buildWorkerCtx } from '../../../support/deliver-webhooks.ts'

test('each delivery has a message of its own, in batches that the queue accepts', async () => {
  const batches: MessageSendRequest[][] = []
  const EVENTS = { sendBatch: async (messages: MessageSendRequest[]) => batches.push(messages) }
  const ids = Array.from({ length: 250 }, (_, n) => n + 1)
  announceDeliveries(buildWorkerCtx({ bindings: { EVENTS } }), ids, 7)
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
  announceDeliveries(buildWorkerCtx({ bindings: { EVENTS } }), [])
})
