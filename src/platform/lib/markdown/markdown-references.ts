export type RenderOptions = {
  /** The URL of the service without a slash at the end. */
  readonly baseUrl: string
  /** Whether the text is on a bug, so that `comment 5` is a reference. */
  readonly isOnBug: boolean
  /** Whether the text is Markdown; plain text otherwise. */
  readonly isMarkdown: boolean
}

export type Reference =
  | { readonly kind: 'bug'; readonly id: number; readonly comment: string | null }
  | { readonly kind: 'comment'; readonly comment: string }
  | { readonly kind: 'attachment'; readonly id: number }

/** A run of text that is a reference, or that stands between references (null). */
export type TextSegment = { readonly text: string; readonly reference: Reference | null }

/** A run of a plain line that is a URL, or that stands between URLs (null). */
export type LineSegment = { readonly text: string; readonly href: string | null }

export type LinkedSegment = {
  readonly href: string | null
  readonly segments: readonly TextSegment[]
}

/** Further references in a text are not linked, because each makes many times its length of HTML. */
const MAX_REFERENCES = 1000
/** Characters of URLs and titles in one text, because a short text may repeat a long URL many times. */
const MAX_HREF_CHARACTERS = 500_000
const MAX_ID = 2 ** 31 - 1

const SAFE_SCHEMES: ReadonlySet<string> = new Set([
  'http',
  'https',
  'ftp',
  'irc',
  'ircs',
  'news',
  'mailto',
])
/** White space is limited to three characters, so that long runs of it take linear time. */
const REFERENCE =
  /(?<![\p{L}\p{N}_])(?:bug\s{0,3}#?\s{0,3}(?<bug>\d{1,10})(?:\s{0,3},?\s{0,3}comment\s{0,3}#?\s{0,3}(?<of>\d{1,10}))?|comment\s{0,3}#?\s{0,3}(?<comment>\d{1,10})|attachment\s{0,3}#?\s{0,3}(?<attachment>\d{1,10}))(?![\p{L}\p{N}_])/giu

export class ReferenceCollector {
  readonly #options: RenderOptions
  readonly #bugIds = new Set<number>()
  readonly #attachmentIds = new Set<number>()
  #count = 0
  #hrefCharacters = 0

  constructor(options: RenderOptions) {
    this.#options = options
  }

  /** Splits a text into its references and the runs between them. */
  splitText(text: string): TextSegment[] {
    const segments: TextSegment[] = []
    let end = 0
    for (const match of text.matchAll(REFERENCE)) {
      const reference = this.#addReference(match.groups ?? {})
      if (reference !== null) {
        segments.push({ text: text.slice(end, match.index), reference: null })
        segments.push({ text: match[0], reference })
        end = match.index + match[0].length
      }
    }
    return [...segments, { text: text.slice(end), reference: null }]
  }

  readonly linkSegment = (segment: LineSegment): LinkedSegment =>
    segment.href === null
      ? { href: null, segments: this.splitText(segment.text) }
      : { href: this.addLink(segment.href), segments: [{ text: segment.text, reference: null }] }

  /** Collects the bug that a URL leads to. Returns the URL; the empty text when the text has too many. */
  addLink(href: string, title = ''): string {
    this.#hrefCharacters += href.length + title.length
    if (this.#hrefCharacters > MAX_HREF_CHARACTERS) {
      return ''
    }
    const bugId = parseBugHref(href, this.#options.baseUrl)
    if (bugId !== null && this.#countReference()) {
      this.#bugIds.add(bugId)
    }
    return href
  }

  collectedIds() {
    return { bugIds: [...this.#bugIds], attachmentIds: [...this.#attachmentIds] }
  }

  #addReference(groups: Record<string, string | undefined>): Reference | null {
    const id = Number(groups.bug ?? groups.attachment ?? 1)
    const hasTarget = groups.comment === undefined || this.#options.isOnBug
    if (id < 1 || id > MAX_ID || !hasTarget || !this.#countReference()) {
      return null
    }
    if (groups.bug !== undefined) {
      this.#bugIds.add(id)
      return { kind: 'bug', id, comment: groups.of ?? null }
    }
    if (groups.attachment !== undefined) {
      this.#attachmentIds.add(id)
      return { kind: 'attachment', id }
    }
    return { kind: 'comment', comment: groups.comment ?? '' }
  }

  /** False when the text has more references than are linked. */
  #countReference(): boolean {
    this.#count += 1
    return this.#count <= MAX_REFERENCES
  }
}

/** The URL itself if it has no scheme or a safe one; the empty text if a browser might run it. */
export function sanitizeHref(href: string): string {
  const [beginning = ''] = /^[^/?#]*/.exec(href) ?? []
  const colon = beginning.indexOf(':')
  return colon === -1 || SAFE_SCHEMES.has(beginning.slice(0, colon).toLowerCase()) ? href : ''
}

/** Whether a URL leads to this service. */
export function isOwnHref(href: string, baseUrl: string): boolean {
  return href === baseUrl || href.startsWith(`${baseUrl}/`)
}

/** The ID in the URL of a bug of this service; null for other URLs. */
export function parseBugHref(href: string, baseUrl: string): number | null {
  if (!isOwnHref(href, baseUrl)) {
    return null
  }
  const path = href.slice(baseUrl.length)
  const [, pathId, queryId] =
    /^\/(?:bug\/(\d{1,10})|show_bug\.cgi\?id=(\d{1,10}))(?:#c\d{1,10})?$/.exec(path) ?? []
  const id = Number(pathId ?? queryId ?? 0)
  return id > 0 && id <= MAX_ID ? id : null
}
