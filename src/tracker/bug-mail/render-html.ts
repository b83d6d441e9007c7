import { html, raw } from 'hono/html'
import { REPLIES_UNREAD } from '../../platform/mail/layout.ts'
import type { MailBlock, MailDocument, TableRow } from './document.ts'

/** Values of this tag are escaped, unless they come from it themselves. */
type Markup = ReturnType<typeof html>

/**
 * Renders a mail as an HTML page that loads nothing from elsewhere. All texts are escaped and stay as they were
 * written, but comments of which there is HTML.
 */
export function renderHtml(document: MailDocument): string {
  return String(html`<!doctype html>
<html><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"></head>
<body style="font:14px/1.4 sans-serif;overflow-wrap:break-word">
${document.map(renderBlock)}</body></html>
`)
}

function renderBlock(block: MailBlock): Markup {
  switch (block.kind) {
    case 'link':
      return html`<p>${renderLink(block.url, block.url)}</p>
`
    case 'sentence':
      return html`<p>${block.text}</p>
`
    case 'fields':
      return html`<table>
${block.fields.map(
  ([label, value]) =>
    html`<tr><th align="right" valign="top" style="white-space:nowrap">${label}</th><td valign="top" style="white-space:pre-wrap;overflow-wrap:anywhere">${value}</td></tr>
`,
)}</table>
`
    case 'table':
      return html`<p>${block.title}</p>
<table border="1" cellpadding="4" style="border-collapse:collapse;table-layout:fixed;width:100%;max-width:60em">
${renderRow(block.head, true)}${block.rows.map((row) => renderRow(row, false))}</table>
`
    case 'comment':
      return renderComment(block)
    case 'bugs':
      return html`<p>${block.title}</p>
<ul>
${block.bugs.map(
  ({ url, text }) => html`<li>${url === null ? text : renderLink(url, text)}</li>
`,
)}</ul>
`
    case 'footer':
      return html`<hr><p style="font-size:90%">${[...block.lines, REPLIES_UNREAD].join(' ')}</p>
<p>${block.links.map(({ label, url }) => html`${renderLink(url, label)} `)}</p>
`
  }
}

function renderRow(cells: TableRow, isHead: boolean): Markup {
  return html`<tr>${cells.map((cell) =>
    isHead
      ? html`<th align="left">${cell}</th>`
      : html`<td valign="top" style="white-space:pre-wrap">${cell}</td>`,
  )}</tr>
`
}

function renderComment({
  title,
  url,
  attachment,
  body,
  html: rendered,
  note,
}: Extract<MailBlock, { kind: 'comment' }>): Markup {
  const head =
    attachment === null
      ? ''
      : html`<p>${attachment.url === null ? attachment.title : renderLink(attachment.url, attachment.title)}<br>${attachment.summary}</p>
`
  return html`${
    title === null
      ? ''
      : html`<p><b>${url === null ? title : renderLink(url, title)}</b></p>
`
  }${head}${
    body === ''
      ? ''
      : rendered === null
        ? html`<div style="white-space:pre-wrap">${body}</div>
`
        : html`<div>${raw(styleComment(rendered))}</div>
`
  }${
    note === ''
      ? ''
      : html`<p>${note}</p>
`
  }`
}

/** How elements of comments look, whose lines may not be wider than a small screen. */
const STYLES = {
  '<pre>': '<pre style="white-space:pre-wrap">',
  // of a comment that is no Markdown
  '<pre class="plain">': '<pre style="white-space:pre-wrap;font:inherit">',
  '<blockquote>': '<blockquote style="margin-left:0;padding-left:1em;border-left:3px solid gray">',
  '<table>': '<table border="1" cellpadding="4" style="border-collapse:collapse">',
}

/** What an author writes in angle brackets is escaped, so these tags are elements. */
function styleComment(rendered: string): string {
  return Object.entries(STYLES).reduce(
    (styled, [tag, own]) => styled.replaceAll(tag, own),
    rendered,
  )
}

function renderLink(url: string, text: string): Markup {
  return html`<a href="${url}">${text}</a>`
}
