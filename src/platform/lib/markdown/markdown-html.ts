import type { Token } from 'markdown-it'
import {
  isOwnHref,
  type LinkedSegment,
  parseBugHref,
  type Reference,
  type RenderOptions,
  sanitizeHref,
  type TextSegment,
} from './markdown-references.ts'

type LinkedBug = {
  readonly status: string
  readonly resolution: string
  readonly isOpen: boolean
  readonly summary: string
}

type LinkedAttachment = { readonly summary: string; readonly isObsolete: boolean }

/** The bugs and attachments that the reader may see. References to others stay plain text. */
export type LinkTargets = {
  /** The bug that the text is on; null for none. */
  readonly bugId: number | null
  readonly bugs: ReadonlyMap<number, LinkedBug>
  readonly attachments: ReadonlyMap<number, LinkedAttachment>
}

/** What the render rules of one text know. */
export type RenderEnv = LinkTargets & { readonly options: RenderOptions }

/** Renders a text token: the checkbox of a task, then the text with its references as links. */
export function renderText(token: Token, env: RenderEnv): string {
  const segments = token.meta?.segments as TextSegment[] | undefined
  const box = token.meta?.box
  const checkbox =
    box === undefined
      ? ''
      : `<input type="checkbox" disabled${box === 'checked' ? ' checked' : ''}>`
  return (
    checkbox + (segments === undefined ? escapeHtml(token.content) : renderSegments(segments, env))
  )
}

function renderSegments(segments: readonly TextSegment[], env: RenderEnv): string {
  return segments
    .map(({ text, reference }) =>
      reference === null ? escapeHtml(text) : renderReference(text, reference, env),
    )
    .join('')
}

/** A link to what the text refers to; the text alone where the reader may not see that. */
function renderReference(text: string, reference: Reference, env: RenderEnv): string {
  const { baseUrl } = env.options
  switch (reference.kind) {
    case 'comment':
      return `<a href="${escapeHtml(`${baseUrl}/bug/${env.bugId}#c${reference.comment}`)}">${escapeHtml(text)}</a>`
    case 'bug': {
      const bug = env.bugs.get(reference.id)
      const fragment = reference.comment === null ? '' : `#c${reference.comment}`
      const href = escapeHtml(`${baseUrl}/bug/${reference.id}${fragment}`)
      return bug === undefined
        ? escapeHtml(text)
        : `<a href="${href}"${bugLinkAttributes(bug)}>${escapeHtml(text)}</a>`
    }
    case 'attachment': {
      const attachment = env.attachments.get(reference.id)
      const obsoleteClass = attachment?.isObsolete ? ' obsolete' : ''
      const address = escapeHtml(`${baseUrl}/attachment/${reference.id}`)
      return attachment === undefined
        ? escapeHtml(text)
        : `<a href="${address}" class="attachment-link${obsoleteClass}" title="${escapeHtml(attachment.summary)}">${escapeHtml(text)}</a> <a href="${address}/details">[details]</a>`
    }
  }
}

function bugLinkAttributes({ status, resolution, isOpen, summary }: LinkedBug): string {
  const classes = ['bug-link', `status-${status.replace(/[^\p{L}\p{N}_-]+/gu, '-')}`]
  const state = [status, resolution].filter((word) => word !== '').join(' ')
  return ` class="${escapeHtml([...classes, ...(isOpen ? [] : ['closed'])].join(' '))}" title="${escapeHtml(`${state} - ${summary}`)}"`
}

/** The start tag of a link. Links to other sites open a new window; links to bugs show status and summary. */
export function renderLinkOpen(href: string, title: string, env: RenderEnv): string {
  const { baseUrl } = env.options
  const safeHref = sanitizeHref(href)
  const bug = env.bugs.get(parseBugHref(safeHref, baseUrl) ?? 0)
  if (bug !== undefined) {
    return `<a href="${escapeHtml(safeHref)}"${bugLinkAttributes(bug)}>`
  }
  const isExternal =
    /^(?!mailto:)[a-z]+:|^[/\\]{2}/i.test(safeHref) && !isOwnHref(safeHref, baseUrl)
  return `<a href="${escapeHtml(safeHref)}"${title === '' ? '' : ` title="${escapeHtml(title)}"`}${
    isExternal ? ' target="_blank" rel="nofollow noreferrer"' : ''
  }>`
}

/** Renders lines that are not Markdown, with their links; quoted lines are marked. */
export function renderPlainText(
  lines: readonly { isQuote: boolean; segments: readonly LinkedSegment[] }[],
  env: RenderEnv,
): string {
  const htmlLines = lines.map(({ isQuote, segments }) => {
    const line = segments
      .map(({ href, segments: text }) =>
        href === null
          ? renderSegments(text, env)
          : `${renderLinkOpen(href, '', env)}${renderSegments(text, env)}</a>`,
      )
      .join('')
    return isQuote ? `<span class="quote">${line}</span>` : line
  })
  const html = htmlLines.join('\n')
  return html === '' ? '' : `<pre class="plain">${html}</pre>\n`
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
