import { html } from 'hono/html'
import { toDatetime } from '../../../platform/lib/time.ts'
import type { FileContent } from './file-content.ts'
import { linkToList } from './query.ts'
import { xmlText } from './xml-text.ts'

/** The list in the vocabulary that programs for older trackers read. */
export async function* writeRdf({ bugs, columns, url, now }: FileContent) {
  const { origin } = url
  const [, ...others] = columns
  const named = others.filter(({ name }) => /^\w+$/.test(name))
  yield String(html`<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:bz="http://www.bugzilla.org/rdf#" xmlns:nc="http://home.netscape.com/NC-rdf#">
<bz:result rdf:about="${origin}${linkToList(url, {}, '/buglist.cgi')}" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<bz:installation rdf:resource="${origin}/"/>
<bz:query_timestamp>${toDatetime(now)}</bz:query_timestamp>
<bz:bugs><Seq>
`)
  for await (const bug of bugs) {
    const values = named.map(({ name, text }) => {
      const element = `bz:${name}`
      return html`<${element}>${xmlText(text(bug))}</${element}>
`
    })
    yield String(html`<li><bz:bug rdf:about="${origin}/bug/${bug.id}"><bz:id nc:parseType="Integer">${bug.id}</bz:id>
${values}</bz:bug></li>
`)
  }
  yield `</Seq></bz:bugs>
</bz:result>
</RDF>
`
}
