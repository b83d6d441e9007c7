import { createHmac, type KeyObject } from 'node:crypto'

const DIGITS = 32

/**
 * 128 bits of an HMAC-SHA-256 of the text's UTF-8 bytes, as 32 lower-case hexadecimal digits. Under a
 * derived key (`deriveKey`), nobody without the secret learns from a fingerprint which text it is of.
 */
export function fingerprint(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(text).digest('hex').slice(0, DIGITS)
}
