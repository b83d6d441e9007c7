import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** What keys are derived for. Each purpose has a key of its own, so that none says anything about another. */
export type KeyPurpose = 'etag' | 'idempotency'

const KEY_BYTES = 32

/** An isolate serves with one secret, whose keys it derives once. */
const keys = new Map<KeyPurpose, { secret: string; key: KeyObject }>()

/** 256 bits that only those who know the secret can compute. The same secret gives the same object again. */
export function deriveKey(secret: string, purpose: KeyPurpose): KeyObject {
  const known = keys.get(purpose)
  if (known?.secret === secret) {
    return known.key
  }
  const info = `lacewing fingerprint v1: ${purpose}`
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)))
  keys.set(purpose, { secret, key })
  return key
}
