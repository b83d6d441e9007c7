import { html } from 'hono/html'
import { toDatetime } from '../../../platform/lib/time.ts'
import type { FileContent } from './file-content.ts'
import { linkToList } from './query.ts'
import { xmlText } from './xml-text.ts'

/** An Atom feed (RFC 4287) of the bugs, each with the columns of the list. */
export async function* writeFeed({ bugs, columns, url, now }: FileContent) {
  const { origin } = url
  const list = `${origin}${linkToList(url, { ctype: null }, '/bugs')}`
  let latest = ''
  yield String(html`<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<title>${xmlText(url.searchParams.get('title') ?? 'Bugs')}</title>
<id>${list}</id>
<link rel="alternate" type="text/html" href="${list}"/>
<link rel="self" type="application/atom+xml" href="${origin}${linkToList(url)}"/>
`)
  for await (const bug of bugs) {
    const changed = bug.last_change_time ?? ''
    latest = changed > latest ? changed : latest
    const address = `${origin}/bug/${bug.id}`
    const table = columns.map(
      ({ label, text }) => html`<tr><th>${label}</th><td>${xmlText(text(bug))}</td></tr>`,
    )
    yield String(html`<entry>
<title>${xmlText(`[Bug ${bug.id}] ${bug.summary}`)}</title>
<id>${address}</id>
<link rel="alternate" type="text/html" href="${address}"/>
<published>${bug.creation_time}</published>
<updated>${changed}</updated>
<author><name>${xmlText(bug.creator_detail?.real_name || (bug.creator_detail?.name ?? ''))}</name></author>
<summary type="html">${String(html`<table>${table}</table>`)}</summary>
</entry>
`)
  }
  yield `<updated>${latest || toDatetime(now)}</updated>
</feed>
`
}
