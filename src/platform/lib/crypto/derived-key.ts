import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** What keys are derived for. Each purpose has a key of its own, so that none says anything about another. */
export type KeyPurpose = 'etag' | 'idempotency'

const KEY_BYTES = 32

/** 256 bits that only those who know the secret can compute. */
export function deriveKey(secret: string, purpose: KeyPurpose): KeyObject {
  const info = `lacewing fingerprint v1: ${purpose}`
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)))
}
