import type { Token } from 'markdown-it'
import {
  bugBehind,
  isWithin,
  type Piece,
  type Reference,
  type Setting,
  type ShownPart,
  safeAddress,
} from './markdown-references.ts'

/** A bug as a link to it tells of it. */
export type LinkedBug = {
  readonly status: string
  readonly resolution: string
  readonly isOpen: boolean
  readonly summary: string
}

/** An attachment as a link to it tells of it. */
export type LinkedAttachment = { readonly summary: string; readonly isObsolete: boolean }

/** What the reader may see of the things that a text names; everything else is as if it did not exist. */
export type Links = {
  /** The bug that the text stands on; null for none. */
  readonly bugId: number | null
  readonly bugs: ReadonlyMap<number, LinkedBug>
  readonly attachments: ReadonlyMap<number, LinkedAttachment>
}

/** What the rendering of one text may ask. */
export type View = Links & { readonly setting: Setting }

/** A stretch of text with links to what it names, and the box of a task ahead of it. */
export function textHtml(token: Token, view: View): string {
  const pieces = token.meta?.pieces as Piece[] | undefined
  const box = token.meta?.box
  const checkbox =
    box === undefined
      ? ''
      : `<input type="checkbox" disabled${box === 'checked' ? ' checked' : ''}>`
  return checkbox + (pieces === undefined ? escaped(token.content) : piecesHtml(pieces, view))
}

function piecesHtml(pieces: readonly Piece[], view: View): string {
  return pieces
    .map(({ text, refersTo }) => (refersTo === null ? escaped(text) : linked(text, refersTo, view)))
    .join('')
}

/** What a reference leads to; the text alone where there is nothing that the reader may see. */
function linked(text: string, reference: Reference, view: View): string {
  const { baseUrl } = view.setting
  switch (reference.kind) {
    case 'comment':
      return `<a href="${escaped(`${baseUrl}/bug/${view.bugId}#c${reference.comment}`)}">${escaped(text)}</a>`
    case 'bug': {
      const bug = view.bugs.get(reference.id)
      const place = reference.comment === null ? '' : `#c${reference.comment}`
      const href = escaped(`${baseUrl}/bug/${reference.id}${place}`)
      return bug === undefined
        ? escaped(text)
        : `<a href="${href}"${toldOf(bug)}>${escaped(text)}</a>`
    }
    case 'attachment': {
      const attachment = view.attachments.get(reference.id)
      const isObsolete = attachment?.isObsolete ? ' obsolete' : ''
      const details = escaped(`${baseUrl}/rest/bug/attachment/${reference.id}?exclude_fields=data`)
      return attachment === undefined
        ? escaped(text)
        : `<a href="${escaped(`${baseUrl}/attachment/${reference.id}`)}" class="attachment-link${isObsolete}" title="${escaped(attachment.summary)}">${escaped(text)}</a> <a href="${details}">[details]</a>`
    }
  }
}

function toldOf({ status, resolution, isOpen, summary }: LinkedBug): string {
  const classes = ['bug-link', `status-${status.replace(/[^\p{L}\p{N}_-]+/gu, '-')}`]
  const state = [status, resolution].filter((word) => word !== '').join(' ')
  return ` class="${escaped([...classes, ...(isOpen ? [] : ['closed'])].join(' '))}" title="${escaped(`${state} - ${summary}`)}"`
}

/** The beginning of a link: to elsewhere in a window of its own, to a bug with what may be told of that. */
export function anchor(href: string, title: string, view: View): string {
  const { baseUrl } = view.setting
  const address = safeAddress(href)
  const bug = view.bugs.get(bugBehind(address, baseUrl) ?? 0)
  if (bug !== undefined) {
    return `<a href="${escaped(address)}"${toldOf(bug)}>`
  }
  const isElsewhere = /^(?!mailto:)[a-z]+:|^[/\\]{2}/i.test(address) && !isWithin(address, baseUrl)
  return `<a href="${escaped(address)}"${title === '' ? '' : ` title="${escaped(title)}"`}${
    isElsewhere ? ' target="_blank" rel="nofollow noreferrer"' : ''
  }>`
}

/** Lines that are shown as they are, quoted ones marked. */
export function plainHtml(
  lines: readonly { isQuote: boolean; parts: readonly ShownPart[] }[],
  view: View,
): string {
  const html = lines.map(({ isQuote, parts }) => {
    const line = parts
      .map(({ href, pieces }) =>
        href === null
          ? piecesHtml(pieces, view)
          : `${anchor(href, '', view)}${piecesHtml(pieces, view)}</a>`,
      )
      .join('')
    return isQuote ? `<span class="quote">${line}</span>` : line
  })
  const text = html.join('\n')
  return text === '' ? '' : `<pre class="plain">${text}</pre>\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
