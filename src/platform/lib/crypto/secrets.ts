import { Buffer } from 'node:buffer'

const SEALED_TEXT = /^v1\.([0-9a-f]{8})\.([\w-]+)\.([\w-]+)$/
const LETTERS_AND_DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const IV_BYTES = 12
const utf8 = new TextEncoder()

/** Generates an API key: `lw` and 38 random letters and digits. */
export function newApiKey(): string {
  return `lw${randomText(38)}`
}

/** Generates the random part of a login token: 22 letters and digits. */
export function newTokenSecret(): string {
  return randomText(22)
}

/** Generates the token of a link in a mail: 32 letters and digits. */
export function newLinkToken(): string {
  return randomText(32)
}

/** Generates a code for who has lost the second factor: four times four small letters and digits, 82 bits. */
export function newRecoveryCode(): string {
  const text = randomText(16, '0123456789abcdefghijklmnopqrstuvwxyz')
  return (text.match(/.{4}/g) ?? []).join('-')
}

/** The SHA-256 of the text's UTF-8 bytes, as lower-case hexadecimal digits. */
export async function sha256Hex(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', utf8.encode(text))).toString('hex')
}

/**
 * Encrypts a text with AES-GCM under a key derived from the secret: `v1.<key id>.<iv>.<ciphertext>`. The key
 * ID is the start of the secret's SHA-256, which shows after a rotation which secret decrypts the text.
 */
export async function seal(plain: string, secret: string): Promise<string> {
  const head = `v1.${await deriveKeyId(secret)}`
  const iv = randomBytes(IV_BYTES)
  const key = await deriveKey(secret)
  const cipher = await crypto.subtle.encrypt(aesParameters(iv, head), key, utf8.encode(plain))
  return `${head}.${Buffer.from(iv).toString('base64url')}.${Buffer.from(cipher).toString('base64url')}`
}

/** Decrypts a text of `seal`; null when it was altered, encrypted under another secret, or is malformed. */
export async function unseal(sealed: string, secret: string): Promise<string | null> {
  const [, keyId = '', ivText = '', cipherText = ''] = SEALED_TEXT.exec(sealed) ?? []
  const iv = parseBase64Url(ivText)
  const cipher = parseBase64Url(cipherText)
  if (iv?.length !== IV_BYTES || cipher === null || keyId !== (await deriveKeyId(secret))) {
    return null
  }
  const key = await deriveKey(secret)
  try {
    const plain = await crypto.subtle.decrypt(aesParameters(iv, `v1.${keyId}`), key, cipher)
    return Buffer.from(plain).toString('utf8')
  } catch {
    return null
  }
}

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count))
}

/** Discards bytes from the last multiple of the letters on, which would make the first ones more frequent. */
function randomText(length: number, letters = LETTERS_AND_DIGITS): string {
  const limit = 256 - (256 % letters.length)
  let text = ''
  while (text.length < length) {
    for (const byte of randomBytes(length - text.length)) {
      text += byte < limit ? letters.charAt(byte % letters.length) : ''
    }
  }
  return text
}

/** The first part of what a secret encrypts, after the `v1`. */
export async function deriveKeyId(secret: string): Promise<string> {
  return (await sha256Hex(secret)).slice(0, 8)
}

async function deriveKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const info = utf8.encode('lacewing sealed text v1')
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
  const target = { name: 'AES-GCM', length: 256 }
  return crypto.subtle.deriveKey(derivation, material, target, false, ['encrypt', 'decrypt'])
}

function aesParameters(iv: Uint8Array<ArrayBuffer>, head: string) {
  return { name: 'AES-GCM', iv, additionalData: utf8.encode(head) }
}

/** Null unless the text is the canonical form of its bytes; else unused bits of its end could be altered. */
function parseBase64Url(text: string): Buffer<ArrayBuffer> | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
