/** Characters that are decoded at once. */
const PIECE = 64 * 1024

const NO_BASE64 = /[^A-Za-z0-9+/=]+/g

/** Bytes in the blocks in which they were decoded, so that large uploads are never copied into one array. */
export type ByteBlocks = readonly Uint8Array<ArrayBuffer>[]

/**
 * Decodes base64 piece by piece and accepts what encoders write, where the platform is strict: it skips line breaks and
 * all other characters outside of the alphabet, and padding may be missing or stand in the middle. It counts bytes
 * beyond `maxBytes` and does not keep them.
 */
export class Base64Decoder {
  readonly #maxBytes: number
  #blocks: Uint8Array<ArrayBuffer>[] = []
  /** Characters of an incomplete group. */
  #text = ''
  #size = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The number of bytes so far, with those that are not kept. */
  get size(): number {
    this.#decodeGroups()
    return this.#size + bytesIn(this.#text)
  }

  decode(text: string): void {
    this.#text += text
    if (this.#text.length >= PIECE) {
      this.#decodeGroups()
    }
  }

  /** The decoded bytes; no blocks when there are more than `maxBytes`. */
  blocks(): ByteBlocks {
    if (this.size > this.#maxBytes) {
      return []
    }
    const last = decodeParts([this.#text])
    return last.length === 0 ? this.#blocks : [...this.#blocks, last]
  }

  /** Leaves less than a group of four characters. */
  #decodeGroups(): void {
    // padding ends a text; what follows is decoded as a new one
    const parts = this.#text.replace(NO_BASE64, '').split(/=+/)
    const last = parts.pop() ?? ''
    this.#text = last.slice(last.length & ~3)
    parts.push(last.slice(0, last.length & ~3))
    this.#size += parts.reduce((sum, part) => sum + bytesIn(part), 0)
    if (this.#size > this.#maxBytes) {
      this.#blocks = []
    } else if (parts.some((part) => part.length > 1)) {
      this.#blocks.push(decodeParts(parts))
    }
  }
}

/** Decodes texts without padding into one block; ignores a single character behind the last group. */
function decodeParts(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(parts.reduce((sum, part) => sum + bytesIn(part), 0))
  let at = 0
  for (const part of parts) {
    const text = part.length % 4 === 1 ? part.slice(0, -1) : part
    at += block.subarray(at).setFromBase64(text, { lastChunkHandling: 'loose' }).written
  }
  return block
}

function bytesIn(text: string): number {
  return Math.floor((text.length * 3) / 4)
}

export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}
