import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** What a signature is made of; the timestamp is in Unix seconds. */
type SignedMessage = {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

/** Generates a signing secret in the form of Standard Webhooks: `whsec_` and base64 of 32 random bytes. */
export function newWebhookSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES))
  return `${PREFIX}${Buffer.from(bytes).toString('base64')}`
}

/**
 * The headers by which a receiver knows that a message comes from here: those of Standard Webhooks, whose key are the
 * bytes of the secret, and `X-Hub-Signature-256`, whose key is its text.
 */
export function signMessage(
  secret: string,
  { id, timestamp, body }: SignedMessage,
): Record<string, string> {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': `v1,${signature}`,
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  }
}
