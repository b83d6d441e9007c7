import { Buffer } from 'node:buffer'
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto'
import { deriveKey, type KeyPurpose } from './derived-key.ts'

const CIPHER = 'aes-256-ctr'
const MAC_BYTES = 16

/**
 * A text as a token for addresses: the same each time, and without the secret nobody reads, changes or makes one. The
 * MAC of the text is the nonce of its encryption too.
 */
export function makeOpaqueToken(text: string, secret: string, purpose: KeyPurpose): string {
  const key = deriveKey(secret, purpose)
  const plain = Buffer.from(text)
  const mac = authenticate(plain, key)
  const cipher = createCipheriv(CIPHER, encryptionKey(key), mac)
  return Buffer.concat([mac, cipher.update(plain), cipher.final()]).toString('base64url')
}

/** The text of `makeOpaqueToken`; null for any other token, or one of another secret or purpose. */
export function readOpaqueToken(token: string, secret: string, purpose: KeyPurpose): string | null {
  const bytes = Buffer.from(token, 'base64url')
  if (bytes.length <= MAC_BYTES || bytes.toString('base64url') !== token) {
    return null
  }
  const key = deriveKey(secret, purpose)
  const mac = bytes.subarray(0, MAC_BYTES)
  const decipher = createDecipheriv(CIPHER, encryptionKey(key), mac)
  const plain = Buffer.concat([decipher.update(bytes.subarray(MAC_BYTES)), decipher.final()])
  return timingSafeEqual(authenticate(plain, key), mac) ? plain.toString() : null
}

function authenticate(plain: Buffer, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(plain).digest().subarray(0, MAC_BYTES)
}

/** Apart from the key of the MAC, because no key serves two ends. */
function encryptionKey(key: KeyObject): Buffer {
  return createHmac('sha256', key).update('encryption').digest()
}
