import { Buffer } from 'node:buffer'
import { scrypt, timingSafeEqual } from 'node:crypto'

type HashParameters = {
  readonly cost: number
  readonly blockSize: number
  /** Of each call. */
  readonly parallelization: number
  /**
   * Calls of scrypt, each with the result of the one before in its salt; null for one call with the salt
   * alone.
   */
  readonly rounds: number | null
  readonly salt: Uint8Array
}

type PasswordHash = HashParameters & { readonly hash: Buffer }

// Five rounds take about a fifth of a second and 16 MiB. The runtime refuses scrypt beyond
// cost * block size * parallelization = 2^20, so a stored hash with more is treated as malformed.
const LOG2_COST = 14
const BLOCK_SIZE = 8
const ROUNDS = 5
const SALT_BYTES = 16
const HASH_BYTES = 32
const MAX_COST_TIMES_BLOCK_SIZE = 2 ** LOG2_COST * BLOCK_SIZE
const MAX_WORK = 2 ** 20

/** In which the isolate serves others, for each call of the usual cost. */
const PAUSE_MS = 5

const PASSWORD_HASH =
  /^\$scrypt(?:\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})|-chain\$ln=(\d{1,2}),r=(\d{1,3}),t=(\d{1,2}))\$([A-Za-z0-9+/]+=*)\$([A-Za-z0-9+/]+=*)$/

/**
 * Hashes a password with a chain of scrypt calls and a random salt: `$scrypt-chain$ln=..,r=..,t=..$<salt>$<hash>`,
 * in unpadded base64, where `t` is the number of calls. Two hashes of one password differ.
 */
export async function hashPassword(plain: string): Promise<string> {
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES))
  const hash = await deriveHash(plain, usualParameters(salt))
  return `$scrypt-chain$ln=${LOG2_COST},r=${BLOCK_SIZE},t=${ROUNDS}$${encodeUnpadded(salt)}$${encodeUnpadded(hash)}`
}

/**
 * Whether a password matches a stored hash of `hashPassword`, with the parameters in that hash, or one of a
 * single call of scrypt, `$scrypt$ln=..,r=..,p=..$<salt>$<hash>`. A missing or malformed hash takes as long as
 * a wrong password, so that the time of an answer does not show which accounts exist.
 */
export async function verifyPassword(plain: string, stored: string | null): Promise<boolean> {
  const expected = stored === null ? null : parsePasswordHash(stored)
  const parameters = expected ?? usualParameters(new Uint8Array(SALT_BYTES))
  const hash = await deriveHash(plain, parameters)
  return expected !== null && timingSafeEqual(hash, expected.hash)
}

/**
 * Many short calls instead of a long one, because each keeps the thread that serves all requests. A hash of
 * one long call pauses as long as one of several, so that its time does not tell that the account exists.
 */
async function deriveHash(plain: string, parameters: HashParameters): Promise<Buffer> {
  const { rounds, salt, parallelization } = parameters
  let hash: Buffer = Buffer.alloc(0)
  for (let round = 1; round <= (rounds ?? 1); round += 1) {
    const roundSalt = rounds === null ? salt : Buffer.concat([salt, Buffer.of(round), hash])
    hash = await callScrypt(plain, { ...parameters, salt: roundSalt })
    await new Promise((resolve) => setTimeout(resolve, parallelization * PAUSE_MS))
  }
  return hash
}

/** Uses the callback form of scrypt, which leaves the main thread free where there are threads. */
function callScrypt(plain: string, parameters: HashParameters): Promise<Buffer> {
  const options = { N: parameters.cost, r: parameters.blockSize, p: parameters.parallelization }
  return new Promise((resolve, reject) => {
    scrypt(plain, parameters.salt, HASH_BYTES, options, (error, hash) => {
      if (error === null) {
        resolve(hash)
      } else {
        reject(error)
      }
    })
  })
}

/** Null when the text is malformed or has parameters that scrypt or this runtime refuses. */
function parsePasswordHash(stored: string): PasswordHash | null {
  const [, ln, r, p, chainLn, chainR, t, saltText = '', hashText = ''] =
    PASSWORD_HASH.exec(stored) ?? []
  const log2Cost = Number(ln ?? chainLn)
  const cost = 2 ** log2Cost
  const blockSize = Number(r ?? chainR)
  const calls = Number(p ?? t)
  const salt = Buffer.from(saltText, 'base64')
  const hash = Buffer.from(hashText, 'base64')
  const isDefined = cost > 1 && blockSize > 0 && calls > 0 && log2Cost < 16 * blockSize
  const isAffordable =
    cost * blockSize <= MAX_COST_TIMES_BLOCK_SIZE && cost * blockSize * calls <= MAX_WORK
  if (!isDefined || !isAffordable || hash.length !== HASH_BYTES) {
    return null
  }
  const repetition =
    t === undefined
      ? { parallelization: calls, rounds: null }
      : { parallelization: 1, rounds: calls }
  return { cost, blockSize, ...repetition, salt, hash }
}

function usualParameters(salt: Uint8Array): HashParameters {
  const cost = 2 ** LOG2_COST
  return { cost, blockSize: BLOCK_SIZE, parallelization: 1, rounds: ROUNDS, salt }
}

function encodeUnpadded(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64').replaceAll('=', '')
}
