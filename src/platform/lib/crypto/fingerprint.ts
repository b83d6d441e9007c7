import { createHmac, type KeyObject } from 'node:crypto'

const DIGITS = 32

/** The runtime's hash takes six times as long to encode a text itself. */
const encoder = new TextEncoder()

/**
 * 128 bits of an HMAC-SHA-256 of the text's UTF-8 bytes, as 32 lower-case hexadecimal digits. Without the
 * secret of a derived key (`deriveKey`), a fingerprint does not reveal its text.
 */
export function fingerprint(text: string, key: KeyObject): string {
  return createHmac('sha256', key).update(encoder.encode(text)).digest('hex').slice(0, DIGITS)
}
