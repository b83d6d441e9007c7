import { fault } from '../../faults/fault.ts'
import { Tally } from '../../lib/isolate.ts'
import { uploadsBusy } from './faults.ts'

const MEGABYTE = 1024 * 1024

/** Bytes of a body for which nothing is counted, so that short ones arrive whatever others send. */
export const SMALL_BODY = 16 * 1024

/** Bytes that the unfinished uploads of this isolate may hold together. */
const POOL_BYTES = { identified: 48 * MEGABYTE, unidentified: 16 * MEGABYTE }
/** What those of one network may hold, of which nobody knows who sends them. */
const BYTES_OF_NETWORK = 8 * MEGABYTE

type Pool = keyof typeof POOL_BYTES

/** A pool, or a network whose senders are unidentified. */
type Holder = Pool | `network ${string}`

const heldBytes = new Tally<Holder>()

/**
 * The memory of one unfinished upload. Identified senders have a pool that others cannot exhaust, and of others one
 * network leaves half to the rest; null is a network that nobody knows. A single upload may exceed all of that.
 */
export class UploadMemory {
  readonly #pool: Pool
  readonly #network: Holder | null
  #size = 0
  #held = 0

  constructor(isIdentified: boolean, network: string | null) {
    this.#pool = isIdentified ? 'identified' : 'unidentified'
    this.#network = isIdentified || network === null ? null : `network ${network}`
  }

  /** Takes memory for more bytes; refuses with 503 when others hold the pool. */
  grow(bytes: number): void {
    this.#size += bytes
    const more = Math.max(0, this.#size - SMALL_BODY) - this.#held
    if (
      more > 0 &&
      (this.#isFull(this.#pool, more, POOL_BYTES[this.#pool]) ||
        this.#isFull(this.#network, more, BYTES_OF_NETWORK))
    ) {
      throw fault(uploadsBusy)
    }
    this.#hold(more)
  }

  release(): void {
    this.#hold(-this.#held)
  }

  #isFull(name: Holder | null, bytes: number, most: number): boolean {
    const held = name === null ? 0 : (heldBytes.get(name) ?? 0)
    return held > this.#held && held + bytes > most
  }

  #hold(bytes: number): void {
    this.#held += bytes
    for (const name of [this.#pool, this.#network]) {
      if (name !== null) {
        heldBytes.set(name, (heldBytes.get(name) ?? 0) + bytes)
        if (heldBytes.get(name) === 0) {
          heldBytes.delete(name)
        }
      }
    }
  }
}
