import type { Context } from 'hono'
import { fault } from '../../faults/fault.ts'
import { Capacity, type Holding } from '../../load/capacity.ts'
import type { AppEnv } from './app-env.ts'
import { networkOfClient } from './client-address.ts'
import { uploadsBusy } from './faults.ts'

const MEGABYTE = 1024 * 1024

/** Bytes of a body for which nothing is counted, so that short ones arrive whatever others send. */
export const SMALL_BODY = 16 * 1024

/** Bytes that the uploads of this isolate may hold together. */
const POOL_BYTES = { identified: 48 * MEGABYTE, unidentified: 16 * MEGABYTE }
/** What those of one network may hold, of which nobody knows who sends them. */
const BYTES_OF_NETWORK = 8 * MEGABYTE
/** Longer than a body may say nothing: one that the runtime has ended does not count any longer. */
const MAX_SILENCE_MS = 180_000

type Pool = keyof typeof POOL_BYTES

/** A pool, or a network whose senders are unidentified. */
type Share = Pool | `network ${string}`

const memory = new Capacity<Share>()

/** The memory of the body of a request, held until the request is answered: what has arrived may wait to be stored. */
export function holdUpload(c: Context<AppEnv>, isIdentified: boolean): UploadMemory {
  const memory = new UploadMemory(isIdentified, networkOfClient(c))
  c.set('uploadMemory', memory)
  return memory
}

/**
 * The memory of one upload. Identified senders have a pool that others cannot exhaust, and of others one
 * network leaves half to the rest; null is a network that nobody knows. A single upload may exceed all of that.
 */
export class UploadMemory {
  readonly #limits: readonly (readonly [share: Share, bytes: number])[]
  readonly #held: Holding<Share>
  #size = 0

  constructor(isIdentified: boolean, network: string | null) {
    const pool = isIdentified ? 'identified' : 'unidentified'
    this.#limits = [
      [pool, POOL_BYTES[pool]],
      ...(isIdentified || network === null
        ? []
        : [[`network ${network}`, BYTES_OF_NETWORK] as const]),
    ]
    const shares = this.#limits.map(([share]) => share)
    this.#held = memory.hold(shares, 0, MAX_SILENCE_MS)
  }

  /** Takes memory for more bytes; refuses with 503 when others hold the pool. */
  grow(bytes: number): void {
    this.#size += bytes
    const amount = Math.max(this.#held.amount, this.#size - SMALL_BODY)
    const more = amount - this.#held.amount
    if (more > 0 && this.#limits.some(([share, most]) => this.#isFull(share, more, most))) {
      throw fault(uploadsBusy)
    }
    memory.resize(this.#held, amount)
    memory.renew(this.#held, MAX_SILENCE_MS)
  }

  release(): void {
    memory.release(this.#held)
  }

  #isFull(share: Share, more: number, most: number): boolean {
    const held = memory.heldOf(share)
    return held > this.#held.amount && held + more > most
  }
}
