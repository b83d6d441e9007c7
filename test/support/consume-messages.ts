import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { queue } from '../../src/queue.ts'

export const LIVE = 'lacewing-events'
export const DEAD = 'lacewing-events-dead'

function messages(bodies: unknown[], attempts = 1) {
  return bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts, body }))
}

/** Runs the consumer on a batch; `delays` are the seconds after which messages are retried. */
export async function consume(name: string, bodies: unknown[], on: Env = env, attempts = 1) {
  const batch = createMessageBatch(name, messages(bodies, attempts))
  const retries = batch.messages.map((message) => vi.spyOn(message, 'retry'))
  const executionContext = createExecutionContext()
  await queue(batch, on, executionContext)
  const result = await getQueueResult(batch, executionContext)
  const delays = retries.flatMap(({ mock }) => mock.calls.map(([options]) => options?.delaySeconds))
  return { ...result, delays }
}

/** A queue that records its messages. */
export function recordingQueue() {
  const sent: MessageSendRequest[] = []
  const EVENTS = {
    send: async (body: unknown) => sent.push({ body }),
    sendBatch: async (messages: MessageSendRequest[]) => sent.push(...messages),
  }
  return { EVENTS, sent }
}
