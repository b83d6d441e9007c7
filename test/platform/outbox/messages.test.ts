import { expect, test } from 'vitest'
import { sendMessages } from '../../../src/platform/outbox/messages.ts'
import { buildWorkerCtx } from '../../support/deliver-webhooks.ts'

test('each row has a message of its own, in batches that the queue accepts', async () => {
  const batches: MessageSendRequest[][] = []
  const EVENTS = { sendBatch: async (messages: MessageSendRequest[]) => batches.push(messages) }
  const ids = Array.from({ length: 250 }, (_, n) => n + 1)
  sendMessages(buildWorkerCtx({ bindings: { EVENTS } }), 'webhook', ids, 7)
  await Promise.resolve()
  expect(batches.map(({ length }) => length)).toEqual([100, 100, 50])
  expect(batches[2]?.at(-1)).toEqual({ body: { kind: 'webhook', id: 250 }, delaySeconds: 7 })
})

test('nothing is sent for no row', () => {
  const EVENTS = {
    sendBatch: () => {
      throw new Error('sent')
    },
  }
  sendMessages(buildWorkerCtx({ bindings: { EVENTS } }), 'webhook', [])
})
