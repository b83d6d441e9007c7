import { Buffer } from 'node:buffer'
import { type Cipheriv, createCipheriv, type KeyObject } from 'node:crypto'
import { deriveKey } from '../../lib/crypto/derived-key.ts'

/** What a token depends on; `changedAt` in Unix seconds. */
type TokenState = { callerId: number; bugId: number; changedAt: number }

/** An isolate encrypts with one key: making a cipher takes five times as long as a block. */
let latest: { key: KeyObject; cipher: Cipheriv } | undefined

/**
 * The token of a bug in one state for one caller: the same again for the same three numbers, and another
 * for any others, because the encryption of a block can be reversed. Without the secret nobody can make
 * one. A page has fifty of them; an HMAC of each takes three times as long.
 * Reference: bugs.md, "Bug object".
 */
export function computeUpdateToken(
  { callerId, bugId, changedAt }: TokenState,
  secretsKey: string,
): string {
  const block = Buffer.allocUnsafe(16)
  // each of these throws for a number that does not fit
  block.writeUIntBE(callerId, 0, 5)
  block.writeUIntBE(bugId, 5, 5)
  block.writeUIntBE(changedAt, 10, 6)
  return `${changedAt}-${cipherUnder(deriveKey(secretsKey, 'update token')).update(block).toString('hex')}`
}

function cipherUnder(key: KeyObject): Cipheriv {
  if (latest?.key !== key) {
    // the mode that encrypts each block alone: no two blocks are equal unless their tokens are to be
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    latest = { key, cipher }
  }
  return latest.cipher
}
