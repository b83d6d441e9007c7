const BLOCK = 256 * 1024

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const LETTERS = new TextEncoder().encode(ALPHABET)
const PADDING = 61

/** What the characters stand for; 64 is padding, 255 is no character of the alphabet. */
const VALUES = valuesByCharacter()

/** Bytes in the blocks in which they came to be, so that large ones are never copied together. */
export type Blocks = readonly Uint8Array<ArrayBuffer>[]

/**
 * Reads base64 piece by piece, as leniently as encoders need it: line breaks and all other characters
 * outside of the alphabet are passed over, padding may be missing or stand in the middle. More than
 * `most` bytes are counted and not kept.
 */
export class Base64Decoder {
  readonly #most: number
  readonly #full: Uint8Array<ArrayBuffer>[] = []
  #block = new Uint8Array(0)
  #used = 0
  #kept = 0
  #size = 0
  #bits = 0
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Bytes decoded so far, those included that were not kept. */
  get size(): number {
    return this.#size
  }

  /** Reads the characters of `text` from `start` up to `end`. */
  read(text: Uint8Array, start = 0, end = text.length): void {
    for (let at = start; at < end; at += 1) {
      this.readCharacter(text[at] ?? 0)
    }
  }

  /** Reads one character, by its code. */
  readCharacter(code: number): void {
    const value = VALUES[code] ?? 255
    if (value < 64) {
      this.#bits = (this.#bits << 6) | value
      this.#held += 6
      if (this.#held >= 8) {
        this.#held -= 8
        this.#keep((this.#bits >> this.#held) & 255)
        this.#bits &= (1 << this.#held) - 1
      }
    } else if (value === 64) {
      // what follows padding is a text of its own
      this.#held = 0
      this.#bits = 0
    }
  }

  /** What was decoded; nothing when it is more than may be kept. */
  blocks(): Blocks {
    if (this.#size > this.#most) {
      return []
    }
    return this.#used === 0 ? this.#full : [...this.#full, this.#block.subarray(0, this.#used)]
  }

  #keep(byte: number): void {
    this.#size += 1
    if (this.#size > this.#most) {
      this.#drop()
      return
    }
    if (this.#used === this.#block.length) {
      if (this.#used > 0) {
        this.#full.push(this.#block)
      }
      this.#block = new Uint8Array(Math.min(BLOCK, this.#most - this.#kept))
      this.#used = 0
    }
    this.#block[this.#used] = byte
    this.#used += 1
    this.#kept += 1
  }

  #drop(): void {
    this.#full.length = 0
    this.#block = new Uint8Array(0)
    this.#used = 0
  }
}

/** Bytes as padded base64. */
export function toBase64(bytes: Uint8Array): string {
  const text = new Uint8Array(base64Length(bytes.length))
  encodeInto(text, bytes)
  return new TextDecoder().decode(text)
}

/** How many characters so many bytes take. */
export function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4
}

/**
 * Writes bytes as padded base64 to the beginning of `text`, which must be long enough. Of bytes that come
 * piece by piece every piece but the last must hold a multiple of three.
 */
export function encodeInto(text: Uint8Array, bytes: Uint8Array): void {
  const letter = (value: number) => LETTERS[value & 63] ?? 0
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const first = bytes[from] ?? 0
    const second = bytes[from + 1] ?? 0
    const third = bytes[from + 2] ?? 0
    text[to] = letter(first >> 2)
    text[to + 1] = letter((first << 4) | (second >> 4))
    text[to + 2] = from + 1 < bytes.length ? letter((second << 2) | (third >> 6)) : PADDING
    text[to + 3] = from + 2 < bytes.length ? letter(third) : PADDING
  }
}

function valuesByCharacter(): Uint8Array {
  const values = new Uint8Array(256).fill(255)
  LETTERS.forEach((code, value) => {
    values[code] = value
  })
  values[PADDING] = 64
  return values
}
