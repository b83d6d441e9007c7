/** Where a text stands. */
export type Setting = {
  /** Address of the service without a slash at the end. */
  readonly baseUrl: string
  /** Whether the text stands on a bug, so that `comment 5` means something. */
  readonly isOnBug: boolean
  /** Whether the text is Markdown; else it is shown as it is, with links. */
  readonly isMarkdown: boolean
}

export type Reference =
  | { readonly kind: 'bug'; readonly id: number; readonly comment: string | null }
  | { readonly kind: 'comment'; readonly comment: string }
  | { readonly kind: 'attachment'; readonly id: number }

/** A stretch of text, and what it refers to. */
export type Piece = { readonly text: string; readonly refersTo: Reference | null }

/** A part of a line that is shown as it is: an address, or the text between addresses. */
export type Part = { readonly text: string; readonly href: string | null }

export type ShownPart = { readonly href: string | null; readonly pieces: readonly Piece[] }

/** More references in one text stay plain, so that no text makes many times its length of HTML. */
const MOST_REFERENCES = 1000
/** Characters of addresses and titles in one text: a short text may repeat a long address many times. */
const MOST_IN_ADDRESSES = 500_000
const LARGEST_ID = 2 ** 31 - 1

const SCHEMES = new Set(['http', 'https', 'ftp', 'irc', 'ircs', 'news', 'mailto'])
/** Blanks are counted, because any number of them would be looked at again from each word on. */
const REFERENCE =
  /(?<![\p{L}\p{N}_])(?:bug\s{0,3}#?\s{0,3}(?<bug>\d{1,10})(?:\s{0,3},?\s{0,3}comment\s{0,3}#?\s{0,3}(?<of>\d{1,10}))?|comment\s{0,3}#?\s{0,3}(?<comment>\d{1,10})|attachment\s{0,3}#?\s{0,3}(?<attachment>\d{1,10}))(?![\p{L}\p{N}_])/giu

/** What a text refers to, found while it is read. */
export class References {
  readonly #setting: Setting
  readonly #bugs = new Set<number>()
  readonly #attachments = new Set<number>()
  #count = 0
  #inAddresses = 0

  constructor(setting: Setting) {
    this.#setting = setting
  }

  /** Cuts a text into what refers to something and what stands between. */
  inText(text: string): Piece[] {
    const pieces: Piece[] = []
    let end = 0
    for (const match of text.matchAll(REFERENCE)) {
      const refersTo = this.#referenceOf(match.groups ?? {})
      if (refersTo !== null) {
        pieces.push({ text: text.slice(end, match.index), refersTo: null })
        pieces.push({ text: match[0], refersTo })
        end = match.index + match[0].length
      }
    }
    return [...pieces, { text: text.slice(end), refersTo: null }]
  }

  readonly inPart = (part: Part): ShownPart =>
    part.href === null
      ? { href: null, pieces: this.inText(part.text) }
      : { href: this.ofAddress(part.href), pieces: [{ text: part.text, refersTo: null }] }

  /** An address that is to be shown: remembered when it is that of a bug, empty when there are too many. */
  ofAddress(href: string, title = ''): string {
    this.#inAddresses += href.length + title.length
    if (this.#inAddresses > MOST_IN_ADDRESSES) {
      return ''
    }
    const bugId = bugBehind(href, this.#setting.baseUrl)
    if (bugId !== null && this.#mayTakeMore()) {
      this.#bugs.add(bugId)
    }
    return href
  }

  /** The numbers that are to be looked up. */
  named() {
    return { bugIds: [...this.#bugs], attachmentIds: [...this.#attachments] }
  }

  #referenceOf(groups: Record<string, string | undefined>): Reference | null {
    const id = Number(groups.bug ?? groups.attachment ?? 1)
    const isKnown = groups.comment === undefined || this.#setting.isOnBug
    if (id < 1 || id > LARGEST_ID || !isKnown || !this.#mayTakeMore()) {
      return null
    }
    if (groups.bug !== undefined) {
      this.#bugs.add(id)
      return { kind: 'bug', id, comment: groups.of ?? null }
    }
    if (groups.attachment !== undefined) {
      this.#attachments.add(id)
      return { kind: 'attachment', id }
    }
    return { kind: 'comment', comment: groups.comment ?? '' }
  }

  #mayTakeMore(): boolean {
    this.#count += 1
    return this.#count <= MOST_REFERENCES
  }
}

/** The address itself if a browser does nothing but go there, else nothing. */
export function safeAddress(href: string): string {
  const [beginning = ''] = /^[^/?#]*/.exec(href) ?? []
  const colon = beginning.indexOf(':')
  return colon === -1 || SCHEMES.has(beginning.slice(0, colon).toLowerCase()) ? href : ''
}

/** Whether an address leads to this service. */
export function isWithin(href: string, baseUrl: string): boolean {
  return href === baseUrl || href.startsWith(`${baseUrl}/`)
}

/** The number of the bug whose page an address is. */
export function bugBehind(href: string, baseUrl: string): number | null {
  if (!isWithin(href, baseUrl)) {
    return null
  }
  const path = href.slice(baseUrl.length)
  const [, digits, more] =
    /^\/(?:bug\/(\d{1,10})|show_bug\.cgi\?id=(\d{1,10}))(?:#c\d{1,10})?$/.exec(path) ?? []
  const id = Number(digits ?? more ?? 0)
  return id > 0 && id <= LARGEST_ID ? id : null
}
