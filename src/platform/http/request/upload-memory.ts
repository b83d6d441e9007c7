import { fault } from '../../faults/fault.ts'
import { uploadsBusy } from './faults.ts'

const MEGABYTE = 1024 * 1024

/** Bytes that the unfinished uploads of this isolate may hold together. */
const POOL_BYTES = { identified: 48 * MEGABYTE, unidentified: 16 * MEGABYTE }

const heldBytes = { identified: 0, unidentified: 0 }

/**
 * The memory of one unfinished upload. Those whose sender is known before their body have a pool of their
 * own, which nobody else can exhaust. One upload alone may be larger than its pool.
 */
export class UploadMemory {
  readonly #pool: keyof typeof POOL_BYTES
  #bytes = 0

  constructor(isIdentified: boolean) {
    this.#pool = isIdentified ? 'identified' : 'unidentified'
  }

  /** Takes more bytes of the pool; fault 32000 with 503 when others hold it. */
  grow(bytes: number): void {
    const others = heldBytes[this.#pool] - this.#bytes
    if (others > 0 && heldBytes[this.#pool] + bytes > POOL_BYTES[this.#pool]) {
      throw fault(uploadsBusy)
    }
    this.#bytes += bytes
    heldBytes[this.#pool] += bytes
  }

  release(): void {
    heldBytes[this.#pool] -= this.#bytes
    this.#bytes = 0
  }
}
