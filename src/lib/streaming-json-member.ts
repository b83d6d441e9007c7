import { Base64Decoder, type Blocks } from './base64.ts'

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const OPENING = [91, 123]
const CLOSING = [93, 125]
const BLANKS = [9, 10, 13, 32]
/** The only character of base64 that has a short escape; some encoders use it always. */
const SOLIDUS = 47

/** `u` and four digits. */
const UNICODE_ESCAPE = 5

/** As it stands in JSON, every character perhaps escaped. */
const LONGEST_NAME = 200

/** Bytes that came as base64. When there are more than may be kept, `size` counts them and none are. */
export type Upload = { readonly size: number; readonly blocks: Blocks }

/** A body without its large member, and what that holds. */
export type Divided = {
  /** The JSON text, where an empty text stands for the large one. */
  readonly text: string
  /** Null when the member is missing or no text. */
  readonly large: Upload | null
}

export type Limits = {
  /** Bytes of the large member, decoded, that are kept. */
  readonly mostKept: number
  /** Bytes of everything else. */
  readonly mostText: number
  /** Bytes altogether. */
  readonly most: number
}

/**
 * Reads a JSON object that arrives piece by piece, one top-level member of which holds base64 that is too
 * large to be a text in memory: that one is decoded on the way, everything else is kept as it came and
 * is for the ordinary parser to judge. `feed` answers false when a limit is passed.
 */
export class StreamingJsonMember {
  readonly #name: string
  readonly #limits: Limits
  readonly #rest: Pieces
  #seen = 0
  #depth = 0
  #state: 'outside' | 'text' | 'large' = 'outside'
  /** Characters of an escape that are still to come; its text so far. */
  #escape: string | null = null
  /** The text that ended last, at the top level: perhaps the name of a member. */
  #key = ''
  #isValueNext = false
  #textBegan = 0
  #decoder: Base64Decoder | null = null

  constructor(name: string, limits: Limits) {
    this.#name = name
    this.#limits = limits
    this.#rest = new Pieces(limits.mostText)
  }

  feed(bytes: Uint8Array): boolean {
    this.#seen += bytes.length
    if (this.#seen > this.#limits.most) {
      return false
    }
    for (const byte of bytes) {
      if (this.#state === 'large') {
        this.#readLarge(byte)
      } else {
        this.#rest.add(byte)
        this.#readOther(byte)
      }
    }
    return !this.#rest.isFull
  }

  end(): Divided {
    const decoder = this.#decoder
    return {
      text: this.#rest.text(0),
      large: decoder === null ? null : { size: decoder.size, blocks: decoder.blocks() },
    }
  }

  #readOther(byte: number): void {
    if (this.#state === 'text') {
      this.#readText(byte)
    } else if (byte === QUOTE) {
      this.#begin()
    } else if (byte === COLON && this.#depth === 1) {
      this.#isValueNext = this.#key === this.#name
    } else if (!BLANKS.includes(byte)) {
      this.#isValueNext = false
      this.#key = ''
      this.#depth += OPENING.includes(byte) ? 1 : CLOSING.includes(byte) ? -1 : 0
    }
  }

  #begin(): void {
    if (this.#isValueNext) {
      this.#state = 'large'
      this.#decoder = new Base64Decoder(this.#limits.mostKept)
    } else {
      this.#state = 'text'
      this.#textBegan = this.#rest.length - 1
    }
    this.#isValueNext = false
  }

  #readText(byte: number): void {
    if (this.#escape !== null) {
      this.#escape = null
    } else if (byte === BACKSLASH) {
      this.#escape = ''
    } else if (byte === QUOTE) {
      this.#state = 'outside'
      const isName = this.#depth === 1 && this.#rest.length - this.#textBegan <= LONGEST_NAME
      this.#key = isName ? nameIn(this.#rest.text(this.#textBegan)) : ''
    }
  }

  #readLarge(byte: number): void {
    if (this.#escape !== null) {
      this.#readEscape(byte)
    } else if (byte === BACKSLASH) {
      this.#escape = ''
    } else if (byte === QUOTE) {
      this.#rest.add(QUOTE)
      this.#state = 'outside'
    } else {
      this.#decoder?.readCharacter(byte)
    }
  }

  #readEscape(byte: number): void {
    const read = `${this.#escape}${String.fromCharCode(byte)}`
    if (read.startsWith('u') && read.length < UNICODE_ESCAPE) {
      this.#escape = read
      return
    }
    this.#escape = null
    if (read.length === UNICODE_ESCAPE) {
      this.#decoder?.readCharacter(Number.parseInt(read.slice(1), 16))
    } else if (byte === SOLIDUS) {
      this.#decoder?.readCharacter(SOLIDUS)
    }
  }
}

function nameIn(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    // the parser of the whole will say so
    return ''
  }
}

/** Bytes that are added one by one, up to a limit. */
class Pieces {
  readonly #most: number
  #bytes = new Uint8Array(1024)
  length = 0

  constructor(most: number) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.length > this.#most
  }

  add(byte: number): void {
    if (this.isFull) {
      return
    }
    if (this.length === this.#bytes.length) {
      const larger = new Uint8Array(this.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    this.#bytes[this.length] = byte
    this.length += 1
  }

  text(from: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(from, this.length))
  }
}
