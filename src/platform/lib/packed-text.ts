import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { cutText } from './stream.ts'

/** The fastest one: lists of people and bugs take a tenth of their length. */
const LEVEL = 1

/**
 * A long text that waits for its client. It takes a fraction of its length, none of it in the heap of the isolate,
 * which the texts of clients that read slowly would fill.
 */
export class PackedText {
  readonly #pieces: Uint8Array[]

  constructor(text: string) {
    this.#pieces = Array.from(cutText(text), (piece) => deflateRawSync(piece, { level: LEVEL }))
  }

  /** The text in pieces, each of which is given once. */
  *take(): Generator<string> {
    for (let piece = this.#pieces.shift(); piece !== undefined; piece = this.#pieces.shift()) {
      yield inflateRawSync(piece).toString()
    }
  }
}
