const BLOCK_BYTES = 256 * 1024
/** Bytes of a group of four characters. */
const GROUP_BYTES = 3
/** A shorter text is decoded before the platform is called. */
const LONG = 512

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const ALPHABET_CODES = new TextEncoder().encode(ALPHABET)
const PADDING_CODE = 61

const PADDING_VALUE = 64
const INVALID_VALUE = 255
const LATIN = new TextDecoder('latin1')

/** The six bits that each character code stands for, or one of the two values above. */
const VALUES = buildValues()

/** Bytes in the blocks in which they were decoded, so that large uploads are never copied into one array. */
export type ByteBlocks = readonly Uint8Array<ArrayBuffer>[]

/**
 * Decodes base64 piece by piece and accepts what encoders write: it skips line breaks and all other
 * characters outside of the alphabet, and padding may be missing or stand in the middle. It counts bytes
 * beyond `maxBytes` and does not keep them.
 */
export class Base64Decoder {
  readonly #maxBytes: number
  readonly #fullBlocks: Uint8Array<ArrayBuffer>[] = []
  #block = new Uint8Array(0)
  #blockLength = 0
  #storedBytes = 0
  #size = 0
  #bits = 0
  #bitCount = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The number of bytes decoded so far, with those that were not kept. */
  get size(): number {
    return this.#size
  }

  /** Decodes the character codes in `text` from `start` up to `end`. */
  decode(text: Uint8Array, start = 0, end = text.length): void {
    let at = start
    while (at < end) {
      at = end - at < LONG ? this.#decodeCharacters(text, at, end) : this.#decodeLong(text, at, end)
    }
  }

  #decodeCharacters(text: Uint8Array, start: number, end: number): number {
    for (let at = start; at < end; at += 1) {
      this.decodeCharacter(text[at] ?? 0)
    }
    return end
  }

  /**
   * Leaves groups of four characters to the platform while there is room for their bytes, and does the rest one by
   * one. Bytes beyond the limit are counted. Returns where it stops: at the end, or with a full block.
   */
  #decodeLong(text: Uint8Array, start: number, end: number): number {
    const room = this.#block.subarray(this.#blockLength)
    if (this.#bitCount !== 0 || room.length < GROUP_BYTES) {
      return this.#decodeCharacters(text, start, start + 1)
    }
    const decoded = decodeGroups(text.subarray(start, end), room)
    if (decoded === null) {
      return this.#decodeCharacters(text, start, end)
    }
    const { read, written } = decoded
    this.#size += written
    if (this.#size <= this.#maxBytes) {
      this.#blockLength += written
      this.#storedBytes += written
    }
    return room.length - written < GROUP_BYTES
      ? start + read
      : this.#decodeCharacters(text, start + read, end)
  }

  /** Decodes one character, given by its code. */
  decodeCharacter(code: number): void {
    const value = VALUES[code] ?? INVALID_VALUE
    if (value < PADDING_VALUE) {
      this.#bits = (this.#bits << 6) | value
      this.#bitCount += 6
      if (this.#bitCount >= 8) {
        this.#bitCount -= 8
        this.#store((this.#bits >> this.#bitCount) & 255)
        this.#bits &= (1 << this.#bitCount) - 1
      }
    } else if (value === PADDING_VALUE) {
      // padding ends a text; what follows is decoded as a new one
      this.#bitCount = 0
      this.#bits = 0
    }
  }

  /** The decoded bytes; no blocks when there are more than `maxBytes`. */
  blocks(): ByteBlocks {
    if (this.#size > this.#maxBytes) {
      return []
    }
    return this.#blockLength === 0
      ? this.#fullBlocks
      : [...this.#fullBlocks, this.#block.subarray(0, this.#blockLength)]
  }

  #store(byte: number): void {
    this.#size += 1
    if (this.#size > this.#maxBytes) {
      this.#discardBlocks()
      return
    }
    if (this.#blockLength === this.#block.length) {
      if (this.#blockLength > 0) {
        this.#fullBlocks.push(this.#block)
      }
      this.#block = new Uint8Array(Math.min(BLOCK_BYTES, this.#maxBytes - this.#storedBytes))
      this.#blockLength = 0
    }
    this.#block[this.#blockLength] = byte
    this.#blockLength += 1
    this.#storedBytes += 1
  }

  /** The last block stays, for what is only counted. */
  #discardBlocks(): void {
    this.#fullBlocks.length = 0
    this.#blockLength = 0
  }
}

/** Null for a text that the platform refuses, although it may be decoded character by character. */
function decodeGroups(
  text: Uint8Array,
  into: Uint8Array,
): { read: number; written: number } | null {
  try {
    return into.setFromBase64(LATIN.decode(text), { lastChunkHandling: 'stop-before-partial' })
  } catch {
    return null
  }
}

/** The number of characters of the padded base64 of so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

function buildValues(): Uint8Array {
  const values = new Uint8Array(256).fill(INVALID_VALUE)
  ALPHABET_CODES.forEach((code, value) => {
    values[code] = value
  })
  values[PADDING_CODE] = PADDING_VALUE
  return values
}
