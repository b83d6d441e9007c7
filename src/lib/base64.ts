const BLOCK_BYTES = 256 * 1024

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const ALPHABET_CODES = new TextEncoder().encode(ALPHABET)
const PADDING_CODE = 61

const PADDING_VALUE = 64
const INVALID_VALUE = 255
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
      at = this.#decodeGroups(text, at, end)
      if (at < end) {
        this.decodeCharacter(text[at] ?? 0)
        at += 1
      }
    }
  }

  /**
   * Decodes groups of four characters while they are whole and there is room for their bytes, which is
   * many times faster than one by one. Bytes beyond the limit are counted. Returns where it stops.
   */
  #decodeGroups(text: Uint8Array, start: number, end: number): number {
    if (this.#bitCount !== 0) {
      return start
    }
    const isKept = this.#size <= this.#maxBytes
    const block = this.#block
    const room = isKept ? block.length - this.#blockLength : Number.POSITIVE_INFINITY
    let [at, added] = [start, 0]
    while (at + 4 <= end && added + 3 <= room) {
      const first = VALUES[text[at] ?? 0] ?? INVALID_VALUE
      const second = VALUES[text[at + 1] ?? 0] ?? INVALID_VALUE
      const third = VALUES[text[at + 2] ?? 0] ?? INVALID_VALUE
      const fourth = VALUES[text[at + 3] ?? 0] ?? INVALID_VALUE
      if ((first | second | third | fourth) >= PADDING_VALUE) {
        break
      }
      if (isKept) {
        const to = this.#blockLength + added
        block[to] = (first << 2) | (second >> 4)
        block[to + 1] = ((second & 15) << 4) | (third >> 2)
        block[to + 2] = ((third & 3) << 6) | fourth
      }
      added += 3
      at += 4
    }
    this.#size += added
    if (isKept) {
      this.#blockLength += added
      this.#storedBytes += added
    }
    return at
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

  #discardBlocks(): void {
    this.#fullBlocks.length = 0
    this.#block = new Uint8Array(0)
    this.#blockLength = 0
  }
}

/** Encodes bytes as padded base64. */
export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(base64Length(bytes.length))
  encodeBase64Into(text, bytes)
  return new TextDecoder().decode(text)
}

/** The number of characters of the padded base64 of so many bytes. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/**
 * Writes bytes as padded base64 to the beginning of `text`, which must be long enough. To encode bytes in
 * pieces, give every piece but the last a multiple of three.
 */
export function encodeBase64Into(text: Uint8Array, bytes: Uint8Array): void {
  const codeOf = (value: number) => ALPHABET_CODES[value & 63] ?? 0
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const first = bytes[from] ?? 0
    const second = bytes[from + 1] ?? 0
    const third = bytes[from + 2] ?? 0
    text[to] = codeOf(first >> 2)
    text[to + 1] = codeOf((first << 4) | (second >> 4))
    text[to + 2] = from + 1 < bytes.length ? codeOf((second << 2) | (third >> 6)) : PADDING_CODE
    text[to + 3] = from + 2 < bytes.length ? codeOf(third) : PADDING_CODE
  }
}

function buildValues(): Uint8Array {
  const values = new Uint8Array(256).fill(INVALID_VALUE)
  ALPHABET_CODES.forEach((code, value) => {
    values[code] = value
  })
  values[PADDING_CODE] = PADDING_VALUE
  return values
}
