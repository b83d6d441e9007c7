import { Buffer } from 'node:buffer'
import { type Cipheriv, createCipheriv, type KeyObject } from 'node:crypto'
import { deriveKey } from '../../../platform/lib/crypto/derived-key.ts'

/** What a token depends on; `changedAt` in Unix seconds. */
type TokenState = { callerId: number; bugId: number; changedAt: number }

/** An isolate encrypts with one key: making a cipher takes five times as long as a call. */
let latest: { key: KeyObject; cipher: Cipheriv } | undefined

const BLOCK_BYTES = 16
/** Of the time in a block. */
const MOST_SECONDS = 2 ** 48

/**
 * The tokens of bugs in one state each for one caller: the same again for the same three numbers, and another
 * for any others, because the encryption of a block can be reversed. Without the secret nobody can make
 * one. Older clients send them back, and nothing looks at them: `If-Match` is what a change can demand.
 * Those of a page are encrypted together: a call takes as long as twenty blocks.
 * Reference: bugs.md, "Bug object".
 */
export function computeUpdateTokens(states: readonly TokenState[], secretsKey: string): string[] {
  const blocks = Buffer.allocUnsafe(states.length * BLOCK_BYTES)
  for (const [n, { callerId, bugId, changedAt }] of states.entries()) {
    const start = n * BLOCK_BYTES
    // each of these throws for a number that does not fit
    blocks.writeUIntBE(callerId, start, 5)
    blocks.writeUIntBE(bugId, start + 5, 5)
    blocks.writeUIntBE(changedAt, start + 10, 6)
  }
  const digits = cipherUnder(deriveKey(secretsKey, 'update token')).update(blocks).toString('hex')
  const length = BLOCK_BYTES * 2
  return states.map(
    ({ changedAt }, n) => `${changedAt}-${digits.slice(n * length, (n + 1) * length)}`,
  )
}

/** The tokens for one caller, of bugs that are presented one by one. */
export class UpdateTokens {
  readonly #callerId: number
  readonly #secretsKey: string
  readonly #known = new Map<number, string>()

  constructor(callerId: number, secretsKey: string) {
    this.#callerId = callerId
    this.#secretsKey = secretsKey
  }

  /** Computes the tokens of the rows that are presented next. One with a broken time fails alone, in `tokenOf`. */
  setRows(rows: readonly { readonly id: number; readonly changedAt: number }[]): void {
    const callerId = this.#callerId
    const states = rows
      .filter(({ changedAt }) => changedAt >= 0 && changedAt < MOST_SECONDS)
      .map(({ id, changedAt }) => ({ callerId, bugId: id, changedAt }))
    const tokens = computeUpdateTokens(states, this.#secretsKey)
    this.#known.clear()
    for (const [n, { bugId }] of states.entries()) {
      this.#known.set(bugId, tokens[n] ?? '')
    }
  }

  tokenOf(bugId: number, changedAt: number): string {
    const callerId = this.#callerId
    return (
      this.#known.get(bugId) ??
      computeUpdateTokens([{ callerId, bugId, changedAt }], this.#secretsKey).join()
    )
  }
}

function cipherUnder(key: KeyObject): Cipheriv {
  if (latest?.key !== key) {
    // the mode that encrypts each block alone: no two blocks are equal unless their tokens are to be
    const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false)
    latest = { key, cipher }
  }
  return latest.cipher
}
