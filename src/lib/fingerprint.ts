import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'

/** What fingerprints are made for. Each purpose has a key of its own, so that none says anything about another. */
export type FingerprintPurpose = 'etag' | 'update token'

const KEY_BYTES = 32
const DIGITS = 32

/** An isolate serves with one secret, whose keys it derives once. */
const keys = new Map<FingerprintPurpose, { secret: string; key: KeyObject }>()

/**
 * 128 bits of an HMAC-SHA-256 of the text's UTF-8 bytes, as 32 lower-case hexadecimal digits. The key is
 * derived from the secret, so that nobody without the secret learns from a fingerprint which text it is of.
 */
export function fingerprint(text: string, secret: string, purpose: FingerprintPurpose): string {
  return createHmac('sha256', fingerprintKey(secret, purpose))
    .update(text)
    .digest('hex')
    .slice(0, DIGITS)
}

function fingerprintKey(secret: string, purpose: FingerprintPurpose): KeyObject {
  const known = keys.get(purpose)
  if (known?.secret === secret) {
    return known.key
  }
  const info = `lacewing fingerprint v1: ${purpose}`
  const key = createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', info, KEY_BYTES)))
  keys.set(purpose, { secret, key })
  return key
}
