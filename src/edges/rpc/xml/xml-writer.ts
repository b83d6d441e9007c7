import { escapeXml } from '../../../platform/lib/escape-xml.ts'

/** Members that hold datetimes. Those of custom fields begin with `cf_`. */
const DATETIMES: ReadonlySet<string> = new Set([
  'creation_date',
  'creation_time',
  'db_time',
  'last_activity_time',
  'last_audit_time',
  'last_change_time',
  'last_change_time_non_bot',
  'last_seen_date',
  'last_visit_ts',
  'modification_date',
  'time',
  'web_time',
  'web_time_utc',
  'when',
])
const DATETIME = /^(\d{4})-(\d\d)-(\d\d)T(\d\d:\d\d:\d\d)Z$/

/** Members that are numbers with a fraction, even where they are whole. */
const DOUBLES: ReadonlySet<string> = new Set(['actual_time', 'estimated_time', 'remaining_time'])

/** The member that holds the bytes of an attachment as base64. */
const BYTES = 'data'

const MAX_INT = 2 ** 31 - 1

type Frame = { readonly kind: 'struct' | 'array'; name: string }

/**
 * Writes a JSON text that arrives in pieces as an XML-RPC value, piece by piece, so that a long answer is never in
 * memory as a whole. A member that is null is left out, because the protocol has no null; the base64 of an attachment
 * passes through. Expects valid JSON.
 */
export class XmlWriter {
  readonly #frames: Frame[] = []
  #state: 'outside' | 'string' | 'bytes' | 'word' = 'outside'
  /** What has arrived of an unfinished string, without its quotes, or of a number, true, false or null. */
  #token = ''
  #isEscaped = false
  #isName = false
  #xml = ''

  /** Reads the next piece and returns what it adds to the XML. */
  write(json: string): string {
    this.#xml = ''
    let at = 0
    while (at < json.length) {
      at = this.#state === 'outside' ? this.#readMark(json, at) : this.#readToken(json, at)
    }
    return this.#xml
  }

  /** The rest at the end of the text, such as a number that no other character ended. */
  finish(): string {
    this.#xml = ''
    if (this.#state === 'word') {
      this.#endWord()
    }
    return this.#xml
  }

  #readMark(json: string, at: number): number {
    const mark = json.charAt(at)
    if (mark === '"') {
      this.#beginString()
    } else if (mark === '{' || mark === '[') {
      this.#open(mark === '{' ? 'struct' : 'array')
    } else if (mark === '}' || mark === ']') {
      this.#close()
    } else if (mark === ',') {
      this.#isName = this.#frame?.kind === 'struct'
    } else if (mark === ':') {
      this.#isName = false
    } else if (/\S/.test(mark)) {
      this.#state = 'word'
      this.#token = mark
    }
    return at + 1
  }

  #readToken(json: string, at: number): number {
    if (this.#state === 'word') {
      const end = findFrom(/[\s,\]}]/g, json, at)
      this.#token += json.slice(at, end)
      if (end < json.length) {
        this.#endWord()
      }
      return end
    }
    const end = this.#isEscaped ? Math.min(at + 1, json.length) : findStringEnd(json, at)
    const piece = json.slice(at, end)
    if (this.#state === 'bytes') {
      this.#xml += piece
    } else {
      this.#token += piece
    }
    if (this.#isEscaped) {
      this.#isEscaped = false
      return end
    }
    if (json[end] === '\\') {
      this.#isEscaped = true
      this.#token += '\\'
    } else if (json[end] === '"') {
      this.#endString()
    }
    return end + 1
  }

  get #frame(): Frame | undefined {
    return this.#frames.at(-1)
  }

  get #memberName(): string {
    return this.#frame?.kind === 'struct' ? this.#frame.name : ''
  }

  #beginString(): void {
    const isBytes = !this.#isName && this.#memberName === BYTES
    this.#state = isBytes ? 'bytes' : 'string'
    this.#token = ''
    if (isBytes) {
      this.#xml += `${this.#beforeValue()}<base64>`
    }
  }

  #endString(): void {
    const frame = this.#frame
    if (this.#state === 'bytes') {
      this.#xml += `</base64>${this.#afterValue()}`
    } else if (this.#isName && frame !== undefined) {
      frame.name = JSON.parse(`"${this.#token}"`)
    } else {
      this.#writeValue(presentText(this.#memberName, JSON.parse(`"${this.#token}"`)))
    }
    this.#state = 'outside'
    this.#token = ''
  }

  #endWord(): void {
    if (this.#token !== 'null') {
      this.#writeValue(presentWord(this.#memberName, this.#token))
    } else if (this.#frame?.kind !== 'struct') {
      this.#writeValue('<nil/>')
    }
    this.#state = 'outside'
    this.#token = ''
  }

  #open(kind: Frame['kind']): void {
    this.#xml += `${this.#beforeValue()}<${kind}>${kind === 'array' ? '<data>' : ''}`
    this.#frames.push({ kind, name: '' })
    this.#isName = kind === 'struct'
  }

  #close(): void {
    const kind = this.#frames.pop()?.kind
    this.#xml += `${kind === 'array' ? '</data>' : ''}</${kind}>${this.#afterValue()}`
  }

  #writeValue(xml: string): void {
    this.#xml += `${this.#beforeValue()}${xml}${this.#afterValue()}`
  }

  #beforeValue(): string {
    const frame = this.#frame
    return frame?.kind === 'struct'
      ? `<member><name>${escapeXml(frame.name)}</name><value>`
      : '<value>'
  }

  #afterValue(): string {
    return this.#frame?.kind === 'struct' ? '</value></member>' : '</value>'
  }
}

function presentText(name: string, text: string): string {
  const mayBeDatetime = DATETIMES.has(name) || name.startsWith('cf_')
  const [, year, month, day, clock] = (mayBeDatetime && DATETIME.exec(text)) || []
  return clock === undefined
    ? `<string>${escapeXml(text)}</string>`
    : `<dateTime.iso8601>${year}${month}${day}T${clock}</dateTime.iso8601>`
}

/** A number, or a boolean. */
function presentWord(name: string, word: string): string {
  if (word === 'true' || word === 'false') {
    return `<boolean>${word === 'true' ? 1 : 0}</boolean>`
  }
  const isInt = /^-?\d+$/.test(word) && Math.abs(Number(word)) <= MAX_INT && !DOUBLES.has(name)
  return isInt ? `<int>${word}</int>` : `<double>${word}</double>`
}

/** With the escapes that are whole, of which a text may have very many. */
const REST_OF_STRING = /[^"\\]*(?:\\.[^"\\]*)*/sy

/** The index of the quotation mark behind a string, of an escape that is not whole, or that of the end. */
function findStringEnd(json: string, start: number): number {
  REST_OF_STRING.lastIndex = start
  return start + (REST_OF_STRING.exec(json)?.[0].length ?? 0)
}

/** The index of the next match, or that of the end. */
function findFrom(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start
  return pattern.exec(text)?.index ?? text.length
}
