import { Buffer } from 'node:buffer'
import { Base64Decoder, type ByteBlocks } from './base64.ts'

// a loop over the codes of characters reads very many short strings several times as fast as patterns
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** `u` and four hexadecimal digits. */
const UNICODE_ESCAPE_LENGTH = 5

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
}

/**
 * Reads a JSON object that arrives in pieces and decodes one member of it, base64 that is too large
 * to be a string in memory. It keeps everything else as it arrived and leaves errors in it to the JSON parser.
 */
export class StreamingJsonMember {
  readonly #name: string
  readonly #limits: MemberLimits
  readonly #levels: readonly number[]
  /** All but the large member; each character is one byte. */
  #rest = ''
  #depth = 0
  #state: 'outside' | 'string' | 'large string' = 'outside'
  /** The characters of an unfinished escape behind its backslash; null outside of an escape. */
  #escape: string | null = null
  /** The string that ended last at one of the levels, which is a member name if a colon follows. */
  #lastString = ''
  #isValueNext = false
  /** Where the present string begins in `#rest`. */
  #stringStart = 0
  #decoder: Base64Decoder | null = null

  constructor(name: string, limits: MemberLimits) {
    this.#name = name
    this.#limits = limits
    this.#levels = limits.levels ?? [1]
  }

  /** Whether the large member goes on, whose bytes are quickly read. */
  get isInMember(): boolean {
    return this.#state === 'large string'
  }

  /** Reads the next bytes of the body. False when the body exceeds a limit and cannot be used. */
  feed(bytes: Uint8Array): boolean {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1')
    for (let at = 0; at < text.length; ) {
      at = this.#state === 'large string' ? this.#readLarge(text, at) : this.#readRest(text, at)
    }
    return this.#rest.length <= this.#limits.maxRestBytes
  }

  /** What has been read, when no more bytes follow. */
  finish(): UploadBody {
    const decoder = this.#decoder
    return {
      text: decodeUtf8(this.#rest),
      upload: decoder === null ? null : { size: decoder.size, blocks: decoder.blocks() },
    }
  }

  /** Keeps what stands ahead of a large string. Returns where that begins, or the end. */
  #readRest(text: string, start: number): number {
    const kept = this.#rest.length
    // places in `#rest`, of which the last ones are still in `text`
    const textBetween = (place: number, end: number) =>
      place < kept
        ? this.#rest.slice(place) + text.slice(start, end)
        : text.slice(start + place - kept, end)
    let at = start
    while (at < text.length && this.#state !== 'large string') {
      if (this.#state === 'string') {
        at = this.#readString(text, at)
        if (this.#state !== 'string') {
          const end = kept + at - start
          const mayBeName =
            this.#levels.includes(this.#depth) && end - this.#stringStart <= MAX_NAME_BYTES
          this.#lastString = mayBeName ? this.#readName(textBetween(this.#stringStart, at)) : ''
        }
      } else {
        at = this.#readOutside(text, at, kept - start)
      }
    }
    this.#rest += text.slice(start, at)
    return at
  }

  /** Reads up to the beginning of a string, or to the end; `shift` leads to its place in `#rest`. */
  #readOutside(text: string, start: number, shift: number): number {
    for (let at = start; at < text.length; at += 1) {
      switch (text.charCodeAt(at)) {
        case QUOTE:
          this.#beginString(at + shift)
          return at + 1
        case 0x20: // space, tab, line feed, carriage return
        case 0x09:
        case 0x0a:
        case 0x0d:
          break
        case 0x3a: // colon
          this.#isValueNext = this.#levels.includes(this.#depth) && this.#lastString === this.#name
          break
        case 0x5b: // brackets and braces
        case 0x7b:
          this.#endName()
          this.#depth += 1
          break
        case 0x5d:
        case 0x7d:
          this.#endName()
          this.#depth -= 1
          break
        default:
          this.#endName()
      }
    }
    return text.length
  }

  /** The name in a string of JSON; empty for one that is not that of the member, of which a body may have very many. */
  #readName(json: string): string {
    const isPlain = !json.includes('\\')
    return isPlain && json !== `"${this.#name}"` ? '' : parseString(decodeUtf8(json))
  }

  #endName(): void {
    this.#isValueNext = false
    this.#lastString = ''
  }

  #beginString(place: number): void {
    if (this.#isValueNext) {
      this.#state = 'large string'
      this.#decoder = new Base64Decoder(this.#limits.maxMemberBytes)
    } else {
      this.#state = 'string'
      this.#stringStart = place
    }
    this.#isValueNext = false
  }

  /** Reads up to an escape or the end of the string, and one of these. */
  #readString(text: string, start: number): number {
    if (this.#escape !== null) {
      this.#escape = null
      return start + 1
    }
    const at = findDelimiter(text, start)
    if (text.charCodeAt(at) === BACKSLASH) {
      this.#escape = ''
    } else if (at < text.length) {
      this.#state = 'outside'
    }
    return Math.min(at + 1, text.length)
  }

  /** Decodes up to the next escape or the end of the string. Returns where it stops. */
  #readLarge(text: string, start: number): number {
    if (this.#escape !== null) {
      this.#readEscape(text.charAt(start))
      return start + 1
    }
    // base64 has no escapes, and looking for one character takes a twentieth of the time of a loop
    const hasEscape = text.includes('\\', start)
    const quote = hasEscape ? findDelimiter(text, start) : text.indexOf('"', start)
    const end = quote < 0 ? text.length : quote
    this.#decoder?.decode(text.slice(start, end))
    if (text.charAt(end) === '"') {
      this.#rest += '"'
      this.#state = 'outside'
    } else if (end < text.length) {
      this.#escape = ''
    }
    return end + 1
  }

  #readEscape(character: string): void {
    const sequence = `${this.#escape}${character}`
    if (sequence.startsWith('u') && sequence.length < UNICODE_ESCAPE_LENGTH) {
      this.#escape = sequence
      return
    }
    this.#escape = null
    if (sequence.length === UNICODE_ESCAPE_LENGTH) {
      this.#decoder?.decode(String.fromCharCode(Number.parseInt(sequence.slice(1), 16)))
    } else if (character === '/') {
      // the only character of base64 that JSON has a short escape for; some encoders always write it
      this.#decoder?.decode('/')
    }
  }
}

/** The end of a string, or the beginning of an escape in it; the length of a text that has neither. */
function findDelimiter(text: string, start: number): number {
  let at = start
  for (; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE || code === BACKSLASH) {
      break
    }
  }
  return at
}

function decodeUtf8(latin: string): string {
  return new TextDecoder().decode(Buffer.from(latin, 'latin1'))
}

function parseString(json: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    // the parser of the whole body reports the error
    return ''
  }
}
