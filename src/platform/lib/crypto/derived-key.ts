import { createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** Purposes of keys. A key of one reveals nothing about that of another. */
export type KeyPurpose = 'etag' | 'idempotency' | 'unsubscription' | 'form'

const KEY_BYTES = 32

/** 256 bits that only those who know the secret can compute. */
export function deriveKey(secret: string, purpose: KeyPurpose): KeyObject {
  const info = `lacewing fingerprint v1: ${purpose}`
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)))
}
