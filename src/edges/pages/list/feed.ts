import { html } from 'hono/html'
import { toDatetime } from '../../../platform/lib/time.ts'
import type { FileContent } from './file-content.ts'
import { linkToList } from './query.ts'
import { xmlText } from './xml-text.ts'

/** An Atom feed (RFC 4287) of the bugs, each with the columns of the list. */
export function writeFeed({ bugs, columns, url, now }: FileContent): string {
  const { origin } = url
  const list = `${origin}${linkToList(url, { ctype: null }, '/bugs')}`
  const latest = bugs
    .map((bug) => bug.last_change_time ?? '')
    .toSorted()
    .at(-1)
  return String(html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${xmlText(url.searchParams.get('title') ?? 'Bugs')}</title>
<id>${list}</id>
<link rel="alternate" type="text/html" href="${list}"/>
<link rel="self" type="application/atom+xml" href="${origin}${linkToList(url)}"/>
<updated>${latest ?? toDatetime(now)}</updated>
${bugs.map((bug) => {
  const address = `${origin}/bug/${bug.id}`
  const table = columns.map(
    ({ label, text }) => html`<tr><th>${label}</th><td>${xmlText(text(bug))}</td></tr>`,
  )
  return html`<entry>
<title>${xmlText(`[Bug ${bug.id}] ${bug.summary}`)}</title>
<id>${address}</id>
<link rel="alternate" type="text/html" href="${address}"/>
<published>${bug.creation_time}</published>
<updated>${bug.last_change_time}</updated>
<author><name>${xmlText(bug.creator_detail?.real_name || (bug.creator_detail?.name ?? ''))}</name></author>
<summary type="html">${String(html`<table>${table}</table>`)}</summary>
</entry>
`
})}</feed>
`)
}
