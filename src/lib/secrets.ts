import { Buffer } from 'node:buffer'
import { scrypt, timingSafeEqual } from 'node:crypto'

interface PasswordHash {
  cost: number
  blockSize: number
  parallel: number
  salt: Uint8Array
  hash: Buffer
}

// About a fifth of a second in 16 MiB of memory. The runtime refuses scrypt beyond
// cost * block size * parallel = 2^20, so a stored hash that asks for more counts as unreadable.
const LN = 14
const BLOCK_SIZE = 8
const PARALLEL = 5
const SALT_BYTES = 16
const HASH_BYTES = 32
const MOST_MEMORY = 2 ** LN * BLOCK_SIZE
const MOST_WORK = 2 ** 20

const STORED =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/
const SEALED = /^v1\.([0-9a-f]{8})\.([\w-]+)\.([\w-]+)$/
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const IV_BYTES = 12
const utf8 = new TextEncoder()

/**
 * A salted, slow hash of a password as `$scrypt$ln=..,r=..,p=..$<salt>$<hash>` (unpadded base64). Two
 * hashes of one password differ.
 */
export async function hashPassword(plain: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  const fresh = { cost: 2 ** LN, blockSize: BLOCK_SIZE, parallel: PARALLEL, salt }
  const hash = await derive(plain, fresh)
  return `$scrypt$ln=${LN},r=${BLOCK_SIZE},p=${PARALLEL}$${unpadded(salt)}$${unpadded(hash)}`
}

/**
 * Whether the password belongs to a text from `hashPassword`, whatever parameters that text names. No
 * text or an unreadable one costs as much time as a wrong password, so that the time of an answer does
 * not tell which accounts exist.
 */
export async function verifyPassword(plain: string, stored: string | null): Promise<boolean> {
  const expected = stored === null ? null : readPasswordHash(stored)
  const found = await derive(plain, expected ?? decoy())
  return expected !== null && timingSafeEqual(found, expected.hash)
}

/** A new API key: 40 letters and digits beginning with `lw`, 38 of them random. */
export function newApiKey(): string {
  return `lw${randomWord(38)}`
}

/** The random part of a new login token: 22 letters and digits. */
export function newTokenSecret(): string {
  return randomWord(22)
}

/** SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
export async function sha256Hex(text: string): Promise<string> {
  return Buffer.from(await crypto.subtle.digest('SHA-256', utf8.encode(text))).toString('hex')
}

/**
 * The text encrypted under the secret, as `v1.<key id>.<iv>.<cipher>`. The key ID is the start of the
 * secret's SHA-256, so that after a rotation it tells which secret opens the text.
 */
export async function seal(plain: string, secret: string): Promise<string> {
  const head = `v1.${await keyIdOf(secret)}`
  const iv = randomBytes(IV_BYTES)
  const key = await sealingKey(secret)
  const cipher = await crypto.subtle.encrypt(sealing(iv, head), key, utf8.encode(plain))
  return `${head}.${Buffer.from(iv).toString('base64url')}.${Buffer.from(cipher).toString('base64url')}`
}

/** What was sealed under this secret; null when tampered with, sealed under another secret, or no sealed text. */
export async function unseal(sealed: string, secret: string): Promise<string | null> {
  const [, keyId = '', ivText = '', cipherText = ''] = SEALED.exec(sealed) ?? []
  const iv = readBase64Url(ivText)
  const cipher = readBase64Url(cipherText)
  if (iv?.length !== IV_BYTES || cipher === null || keyId !== (await keyIdOf(secret))) {
    return null
  }
  const key = await sealingKey(secret)
  try {
    const plain = await crypto.subtle.decrypt(sealing(iv, `v1.${keyId}`), key, cipher)
    return Buffer.from(plain).toString('utf8')
  } catch {
    return null
  }
}

/** Whether two texts are equal, in a time that does not depend on where texts of equal length differ. */
export function sameText(a: string, b: string): boolean {
  if (a.length !== b.length) {
    return false
  }
  // UTF-16 keeps code units apart that UTF-8 would all turn into the replacement character.
  return timingSafeEqual(Buffer.from(a, 'utf16le'), Buffer.from(b, 'utf16le'))
}

/** The callback form runs off the main thread where there are threads. */
function derive(plain: string, how: Omit<PasswordHash, 'hash'>): Promise<Buffer> {
  const options = { N: how.cost, r: how.blockSize, p: how.parallel }
  return new Promise((resolve, reject) => {
    scrypt(plain, how.salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) {
        resolve(hash)
      } else {
        reject(error)
      }
    })
  })
}

/** Null when the text is no password hash, or names parameters that scrypt or this runtime refuses. */
function readPasswordHash(stored: string): PasswordHash | null {
  const [, ln = '', r = '', p = '', saltText = '', hashText = ''] = STORED.exec(stored) ?? []
  const cost = 2 ** Number(ln)
  const blockSize = Number(r)
  const parallel = Number(p)
  const salt = Buffer.from(saltText, 'base64')
  const hash = Buffer.from(hashText, 'base64')
  const defined = cost > 1 && blockSize > 0 && parallel > 0 && Number(ln) < 16 * blockSize
  const memory = cost * blockSize
  const affordable = memory <= MOST_MEMORY && memory * parallel <= MOST_WORK
  const readable = defined && affordable && hash.length === HASH_BYTES
  return readable ? { cost, blockSize, parallel, salt, hash } : null
}

function decoy(): Omit<PasswordHash, 'hash'> {
  return {
    cost: 2 ** LN,
    blockSize: BLOCK_SIZE,
    parallel: PARALLEL,
    salt: new Uint8Array(SALT_BYTES),
  }
}

function unpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}

function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  return crypto.getRandomValues(new Uint8Array(count))
}

/** Bytes above the last whole multiple of the alphabet are thrown away: taking them would favour its start. */
function randomWord(length: number): string {
  const fair = 256 - (256 % ALPHABET.length)
  let word = ''
  while (word.length < length) {
    for (const byte of randomBytes(length - word.length)) {
      word += byte < fair ? ALPHABET.charAt(byte % ALPHABET.length) : ''
    }
  }
  return word
}

async function keyIdOf(secret: string): Promise<string> {
  return (await sha256Hex(secret)).slice(0, 8)
}

async function sealingKey(secret: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', utf8.encode(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const info = utf8.encode('lacewing sealed text v1')
  const how = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info }
  const target = { name: 'AES-GCM', length: 256 }
  return crypto.subtle.deriveKey(how, material, target, false, ['encrypt', 'decrypt'])
}

function sealing(iv: Uint8Array<ArrayBuffer>, head: string) {
  return { name: 'AES-GCM', iv, additionalData: utf8.encode(head) }
}

/** Null unless the text is the one way to write its bytes: otherwise its last character could be altered unseen. */
function readBase64Url(text: string): Buffer<ArrayBuffer> | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text ? bytes : null
}
