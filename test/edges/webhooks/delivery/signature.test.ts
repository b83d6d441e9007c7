import { sign, verify } from '@octokit/webhooks-methods'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { newWebhookSecret, signMessage } from '../../../../src/edges/webhooks/delivery/signature.ts'

const body = JSON.stringify({ text: 'Größe 😀', number: 1 })
const timestamp = Math.floor(Date.now() / 1000)

describe('a secret', () => {
  test('is of the form of Standard Webhooks, with 256 random bits', () => {
    const [one, other] = [newWebhookSecret(), newWebhookSecret()]
    expect(one).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(one).not.toBe(other)
  })
})

describe('the headers of a message', () => {
  test('are accepted by the library of Standard Webhooks', () => {
    const secret = newWebhookSecret()
    const headers = signMessage(secret, { id: 'msg_7', timestamp, body })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
  })

  test('hold the signature that the library makes itself', () => {
    const secret = newWebhookSecret()
    const headers = signMessage(secret, { id: 'msg_7', timestamp, body })
    const own = new Webhook(secret).sign('msg_7', new Date(timestamp * 1000), body)
    expect(headers['webhook-signature']).toBe(own)
  })

  test.each([
    ['another secret', { secret: newWebhookSecret() }],
    ['another body', { body: `${body} ` }],
    ['another ID', { id: 'msg_8' }],
    ['another time', { timestamp: String(timestamp - 1) }],
    ['an old time', { timestamp: String(timestamp - 3600) }],
  ])('are refused with %s', (_, forged) => {
    const secret = newWebhookSecret()
    const headers = {
      ...signMessage(secret, { id: 'msg_7', timestamp, body }),
      ...('id' in forged ? { 'webhook-id': forged.id } : {}),
      ...('timestamp' in forged ? { 'webhook-timestamp': forged.timestamp } : {}),
    }
    const receiver = new Webhook('secret' in forged ? forged.secret : secret)
    const received = 'body' in forged ? forged.body : body
    expect(() => receiver.verify(received, headers as Record<string, string>)).toThrow()
  })

  test('hold the signature of GitHub, accepted by its library with the same secret alone', async () => {
    const secret = newWebhookSecret()
    const { 'X-Hub-Signature-256': signature = '' } = signMessage(secret, {
      id: 'msg_7',
      timestamp,
      body,
    })
    expect(signature).toBe(await sign(secret, body))
    expect(await verify(secret, body, signature)).toBe(true)
    expect(await verify(secret, `${body} `, signature)).toBe(false)
    expect(await verify(newWebhookSecret(), body, signature)).toBe(false)
  })
})
