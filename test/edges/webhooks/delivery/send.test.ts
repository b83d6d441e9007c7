import { describe, expect, test } from 'vitest'
import { sendMessage } from '../../../../src/edges/webhooks/delivery/send.ts'
import { type Behaviour, openReceiver } from '../../../support/receiver/box.ts'

async function attempt(behaviour: Behaviour, allowsPrivate = true, timeoutMs?: number) {
  const receiver = openReceiver(behaviour)
  const message = { url: receiver.url, headers: { 'X-Mine': 'a' }, body: '{"a":"ä"}' }
  const made = await sendMessage(message, { allowsPrivate }, timeoutMs)
  return { made, received: await receiver.received() }
}

describe('an attempt', () => {
  test('succeeds with a 2xx answer, and posts the bytes and headers as they are', async () => {
    const { made, received } = await attempt('ok')
    expect(made).toEqual({ error: null, status: 200, excerpt: '{"ok":true}' })
    expect(received).toMatchObject([{ body: '{"a":"ä"}', headers: { 'x-mine': 'a' } }])
  })

  test.each([
    ['fails', 500, 'out of order'],
    ['gone', 410, ''],
  ] as const)('fails with an answer that %s', async (behaviour, status, excerpt) => {
    const { made } = await attempt(behaviour)
    expect(made).toEqual({ error: `answered with ${status}`, status, excerpt })
  })

  test('fails with a redirect, which it does not follow', async () => {
    const { made, received } = await attempt('redirects')
    expect(made).toMatchObject({ error: 'answered with 302', status: 302 })
    expect(received).toHaveLength(1)
  })

  test.each([
    ['closes', null],
    ['closes-in-answer', 200],
  ] as const)('fails with a receiver that %s', async (behaviour, status) => {
    const { made } = await attempt(behaviour)
    expect(made).toMatchObject({ status, error: expect.stringMatching(/broke off/) })
  })

  // the ten seconds of deliveries are waited for in deliver.test.ts
  test.each([
    ['hangs', null],
    ['hangs-in-answer', 200],
  ] as const)('fails when its time is up with a receiver that %s', async (behaviour, status) => {
    const { made } = await attempt(behaviour, true, 500)
    expect(made).toMatchObject({ status, error: 'no complete answer in 0.5 seconds' })
  })

  test('reads the beginning of a large answer alone', async () => {
    const { made } = await attempt('large')
    expect(made).toMatchObject({ error: null, status: 200 })
    expect(made.excerpt).toBe('x'.repeat(1000))
  })

  test('is not made to an address that may not be called', async () => {
    const { made, received } = await attempt('ok', false)
    expect(made).toMatchObject({ error: 'the address may not be called', status: null })
    expect(received).toEqual([])
  })
})
