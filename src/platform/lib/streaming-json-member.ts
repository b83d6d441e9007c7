import { Base64Decoder, type ByteBlocks } from './base64.ts'

const QUOTE = 34
const BACKSLASH = 92
const COLON = 58
const OPENING_BRACKETS = [91, 123]
const CLOSING_BRACKETS = [93, 125]
const WHITE_SPACE = [9, 10, 13, 32]
/** The only character of base64 that JSON has a short escape for; some encoders always write it. */
const SLASH = 47

/** `u` and four hexadecimal digits. */
const UNICODE_ESCAPE_LENGTH = 5

const LATIN = new TextDecoder('latin1')

/** Bytes of a member name as it stands in JSON, where every character may be escaped. */
const MAX_NAME_BYTES = 200

/** Bytes decoded from base64. `size` counts all of them; there are no blocks when they exceed the limit. */
export type Upload = { readonly size: number; readonly blocks: ByteBlocks }

/** A JSON body whose large member has been decoded. */
export type UploadBody = {
  /** The JSON text, with an empty string as the value of the large member. */
  readonly text: string
  /** The decoded value of the large member; null when it is missing or no string. */
  readonly upload: Upload | null
}

export type MemberLimits = {
  /** The levels of nesting at which the member may stand; 1, the members of the body itself, by default. */
  readonly levels?: readonly number[]
  /** The most bytes of the large member, decoded, that are kept. */
  readonly maxMemberBytes: number
  /** The most bytes of everything else. */
  readonly maxRestBytes: number
  /** The most bytes of the whole body. */
  readonly maxTotalBytes: number
}

/**
 * Reads a JSON object that arrives in pieces and decodes one member of it, base64 that is too large
 * to be a string in memory. It keeps everything else as it arrived and leaves errors in it to the JSON parser.
 */
export class StreamingJsonMember {
  readonly #name: string
  readonly #limits: MemberLimits
  readonly #levels: readonly number[]
  readonly #rest: ByteBuffer
  #totalBytes = 0
  #depth = 0
  #state: 'outside' | 'string' | 'large string' = 'outside'
  /** The characters of an unfinished escape behind its backslash; null outside of an escape. */
  #escape: string | null = null
  /** The string that ended last at one of the levels, which is a member name if a colon follows. */
  #lastString = ''
  #isValueNext = false
  #stringStart = 0
  #decoder: Base64Decoder | null = null
  #quotes = new ByteFinder(QUOTE)
  #backslashes = new ByteFinder(BACKSLASH)

  constructor(name: string, limits: MemberLimits) {
    this.#name = name
    this.#limits = limits
    this.#levels = limits.levels ?? [1]
    this.#rest = new ByteBuffer(limits.maxRestBytes)
  }

  /** Reads the next bytes of the body. False when the body exceeds a limit and cannot be used. */
  feed(bytes: Uint8Array): boolean {
    this.#totalBytes += bytes.length
    if (this.#totalBytes > this.#limits.maxTotalBytes) {
      return false
    }
    this.#quotes = new ByteFinder(QUOTE, bytes)
    this.#backslashes = new ByteFinder(BACKSLASH, bytes)
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#state === 'large string') {
        at = this.#readRun(bytes, at)
      }
      const byte = bytes[at]
      if (byte === undefined) {
        break
      }
      if (this.#state === 'large string') {
        this.#readLargeString(byte)
      } else {
        this.#rest.add(byte)
        this.#readOther(byte)
      }
    }
    return !this.#rest.isOverfull
  }

  /** Decodes the characters ahead of the next quote or backslash. Returns where that stands. */
  #readRun(bytes: Uint8Array, start: number): number {
    if (this.#escape !== null) {
      return start
    }
    const end = Math.min(this.#quotes.next(start), this.#backslashes.next(start))
    this.#decoder?.decode(LATIN.decode(bytes.subarray(start, end)))
    return end
  }

  /** What has been read, when no more bytes follow. */
  finish(): UploadBody {
    const decoder = this.#decoder
    return {
      text: this.#rest.decodeFrom(0),
      upload: decoder === null ? null : { size: decoder.size, blocks: decoder.blocks() },
    }
  }

  #readOther(byte: number): void {
    if (this.#state === 'string') {
      this.#readString(byte)
    } else if (byte === QUOTE) {
      this.#beginString()
    } else if (byte === COLON && this.#levels.includes(this.#depth)) {
      this.#isValueNext = this.#lastString === this.#name
    } else if (!WHITE_SPACE.includes(byte)) {
      this.#isValueNext = false
      this.#lastString = ''
      this.#depth += OPENING_BRACKETS.includes(byte) ? 1 : CLOSING_BRACKETS.includes(byte) ? -1 : 0
    }
  }

  #beginString(): void {
    if (this.#isValueNext) {
      this.#state = 'large string'
      this.#decoder = new Base64Decoder(this.#limits.maxMemberBytes)
    } else {
      this.#state = 'string'
      this.#stringStart = this.#rest.length - 1
    }
    this.#isValueNext = false
  }

  #readString(byte: number): void {
    if (this.#escape !== null) {
      this.#escape = null
    } else if (byte === BACKSLASH) {
      this.#escape = ''
    } else if (byte === QUOTE) {
      this.#state = 'outside'
      const mayBeName =
        this.#levels.includes(this.#depth) &&
        this.#rest.length - this.#stringStart <= MAX_NAME_BYTES
      this.#lastString = mayBeName ? parseString(this.#rest.decodeFrom(this.#stringStart)) : ''
    }
  }

  #readLargeString(byte: number): void {
    if (this.#escape !== null) {
      this.#readEscape(byte)
    } else if (byte === BACKSLASH) {
      this.#escape = ''
    } else if (byte === QUOTE) {
      this.#rest.add(QUOTE)
      this.#state = 'outside'
    } else {
      this.#decoder?.decode(String.fromCharCode(byte))
    }
  }

  #readEscape(byte: number): void {
    const sequence = `${this.#escape}${String.fromCharCode(byte)}`
    if (sequence.startsWith('u') && sequence.length < UNICODE_ESCAPE_LENGTH) {
      this.#escape = sequence
      return
    }
    this.#escape = null
    if (sequence.length === UNICODE_ESCAPE_LENGTH) {
      this.#decoder?.decode(String.fromCharCode(Number.parseInt(sequence.slice(1), 16)))
    } else if (byte === SLASH) {
      this.#decoder?.decode('/')
    }
  }
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    // the parser of the whole body reports the error
    return ''
  }
}

/** Finds the places of a byte, and searches no part of the bytes twice. */
class ByteFinder {
  readonly #byte: number
  readonly #bytes: Uint8Array
  #found = -1

  constructor(byte: number, bytes: Uint8Array = new Uint8Array(0)) {
    this.#byte = byte
    this.#bytes = bytes
  }

  /** Where the byte stands next, or the end; `start` never goes back. */
  next(start: number): number {
    if (this.#found < start) {
      const place = this.#bytes.indexOf(this.#byte, start)
      this.#found = place < 0 ? this.#bytes.length : place
    }
    return this.#found
  }
}

/** Bytes that are added one by one, up to a limit. */
class ByteBuffer {
  readonly #maxLength: number
  #bytes = new Uint8Array(1024)
  length = 0

  constructor(maxLength: number) {
    this.#maxLength = maxLength
  }

  get isOverfull(): boolean {
    return this.length > this.#maxLength
  }

  add(byte: number): void {
    if (this.isOverfull) {
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

  decodeFrom(start: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(start, this.length))
  }
}
