import { fault } from '../../faults/fault.ts'
import { Tally } from '../../lib/isolate.ts'
import { uploadsBusy } from './faults.ts'

const MEGABYTE = 1024 * 1024

/** Bytes that the unfinished uploads of this isolate may hold together. */
const POOL_BYTES = { identified: 48 * MEGABYTE, unidentified: 16 * MEGABYTE }

const heldBytes = new Tally<keyof typeof POOL_BYTES>()

/**
 * The memory of one unfinished upload. Identified senders have a pool that others cannot exhaust. A single
 * upload may exceed its pool.
 */
export class UploadMemory {
  readonly #pool: keyof typeof POOL_BYTES
  #bytes = 0

  constructor(isIdentified: boolean) {
    this.#pool = isIdentified ? 'identified' : 'unidentified'
  }

  /** Takes more bytes of the pool; refuses with 503 when others hold it. */
  grow(bytes: number): void {
    const held = heldBytes.get(this.#pool) ?? 0
    if (held > this.#bytes && held + bytes > POOL_BYTES[this.#pool]) {
      throw fault(uploadsBusy)
    }
    this.#bytes += bytes
    heldBytes.set(this.#pool, held + bytes)
  }

  release(): void {
    heldBytes.set(this.#pool, (heldBytes.get(this.#pool) ?? 0) - this.#bytes)
    this.#bytes = 0
  }
}
