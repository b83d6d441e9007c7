import { Buffer } from 'node:buffer'
import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { unseal } from '../../platform/lib/crypto/secrets.ts'
import { RecentValues } from '../../platform/lib/isolate.ts'
import type { BotKey } from './bot-keys.ts'

/** The first of these that a request has counts. */
const SIGNATURE_HEADERS = [
  'x-codehost-signature-256',
  'x-codehost-signature',
  'x-hub-signature-256',
]

const HOOK_HEADERS = ['x-codehost-hook-id', 'x-github-hook-id']

const MAX_ENTRIES = 1000

/** The material of keys by their encrypted form, of which it is a function: nothing makes an entry stale. */
const keyMaterial = new RecentValues<KeyObject>(MAX_ENTRIES)

/** The hash of the key that matched last, by the hook that sent the event. */
const lastMatches = new RecentValues<string>(MAX_ENTRIES)

type SignedEvent = {
  readonly headers: Headers
  readonly pieces: readonly Uint8Array[]
  /** Decrypts keys. */
  readonly secret: string
  /**
   * Called before other keys are tried than the one that matched last for this hook; throws to prevent
   * that.
   */
  beforeSearch(): Promise<void>
}

/** The digest that a request claims; null unless it is `sha256=` and 64 lower-case hexadecimal digits. */
export function parseSignature(headers: Headers): Buffer | null {
  const name = SIGNATURE_HEADERS.find((one) => headers.has(one))
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(headers.get(name ?? '-') ?? '') ?? []
  return hex === undefined ? null : Buffer.from(hex, 'hex')
}

/**
 * Finds the key under which the HMAC-SHA-256 of the body is the digest, and compares in constant time. The key that
 * matched last for the same hook is tried first, so that the number of keys is not felt; keys are decrypted once.
 */
export async function findSigningKey(
  event: SignedEvent,
  digest: Buffer,
  keys: readonly BotKey[],
): Promise<BotKey | undefined> {
  const hook = HOOK_HEADERS.map((name) => event.headers.get(name)).find((id) => id !== null) ?? ''
  const expected = keys.find(({ hash }) => hash === lastMatches.get(hook))
  if (expected !== undefined && (await isSignedWith(event, expected, digest))) {
    return expected
  }
  await event.beforeSearch()
  for (const key of keys) {
    if (key !== expected && (await isSignedWith(event, key, digest))) {
      lastMatches.set(hook, key.hash)
      return key
    }
  }
  return undefined
}

async function isSignedWith(event: SignedEvent, key: BotKey, digest: Buffer): Promise<boolean> {
  const material = await materialOf(key, event.secret)
  if (material === null) {
    return false
  }
  const hmac = createHmac('sha256', material)
  for (const piece of event.pieces) {
    hmac.update(piece)
  }
  return timingSafeEqual(hmac.digest(), digest)
}

/** Null for a key that this secret does not decrypt. */
async function materialOf({ sealed }: BotKey, secret: string): Promise<KeyObject | null> {
  const known = keyMaterial.get(sealed)
  if (known !== undefined) {
    return known
  }
  const plain = await unseal(sealed, secret)
  if (plain === null) {
    return null
  }
  const material = createSecretKey(Buffer.from(plain, 'utf8'))
  keyMaterial.set(sealed, material)
  return material
}
