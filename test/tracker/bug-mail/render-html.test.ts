import { describe, expect, test } from 'vitest'
import { parseComment } from '../../../src/platform/lib/markdown/markdown.ts'
import { composeBugMail } from '../../../src/tracker/bug-mail/bug-mail.ts'
import type { BugMailContent } from '../../../src/tracker/bug-mail/content.ts'
import {
  bugMailContent,
  bulb,
  comment,
  mailReader,
  status,
} from '../../support/worlds/bug-mail-content.ts'

const HOSTILE = `</td><script>alert("x")</script><img src=x onerror='a()'>&amp;`

/** Markup that a mail of this service may hold; all values of attributes are its own, but addresses of links. */
const TAGS =
  /<\/?(?:html|head|body|meta|p|a|b|br|hr|ul|li|div|table|tr|th|td)(?: [a-z]+="[^"<>]*")*>|<!doctype html>/g

function htmlOf(more: Partial<BugMailContent> = {}): string {
  const mail = composeBugMail(bugMailContent({ reader: mailReader({ wantsHtml: true }), ...more }))
  return mail.html ?? ''
}

/** What a reader sees of the page, with white space as it is written. */
function textOf(html: string): string {
  return html
    .replace(TAGS, ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** A mail in which every text that people write is hostile. */
function hostileContent(occasion: BugMailContent['occasion']): Partial<BugMailContent> {
  const { bug } = bugMailContent()
  const values = Object.entries(bug).map(([name, value]) => [
    name,
    typeof value === 'string' ? HOSTILE : value,
  ])
  const person = { login: HOSTILE, name: HOSTILE }
  return {
    occasion,
    bug: {
      ...bug,
      ...Object.fromEntries(values),
      flags: [{ name: HOSTILE, status: '?', requestee: HOSTILE }],
    },
    author: person,
    changes: [{ field: 'x', label: HOSTILE, removed: HOSTILE, added: HOSTILE }],
    comments: [
      comment({ author: person, body: HOSTILE, kind: 'attachment_created', ...bulb }),
      comment({ author: person, body: HOSTILE, attachmentSummary: HOSTILE, number: 0 }),
    ],
    referenced: [{ id: 12, summary: HOSTILE }],
    reader: mailReader({ wantsHtml: true, watched: [{ reason: HOSTILE, login: HOSTILE }] }),
  }
}

describe('the HTML of a mail', () => {
  test('is there for readers who want it, beside the same text as for all others', () => {
    const content = { changes: [status], comments: [comment()] }
    const plain = composeBugMail(bugMailContent({ ...content, reader: mailReader() }))
    const both = composeBugMail(
      bugMailContent({ ...content, reader: mailReader({ wantsHtml: true }) }),
    )
    expect(plain).not.toHaveProperty('html')
    expect({ ...both, html: undefined }).toEqual({ ...plain, html: undefined })
    expect(both.html).toMatch(/^<!doctype html>/)
  })

  test('has the content of the text', () => {
    const html = textOf(
      htmlOf({
        changes: [status],
        comments: [comment({ kind: 'attachment_created', ...bulb })],
        referenced: [{ id: 12, summary: 'The fuse' }],
      }),
    )
    for (const words of [
      'https://tracker.test/bug/35',
      'Jane Roe <jane@example.test> changed:',
      'Status',
      'CONFIRMED',
      'RESOLVED',
      'Comment #3 from Jane Roe',
      'Created attachment 7',
      'new bulb',
      'Let there be light.',
      '[Bug 12] The fuse',
    ]) {
      expect(html).toContain(words)
    }
    expect(textOf(htmlOf({ occasion: 'created' }))).toContain('Lamps')
  })

  test('keeps the lines and blanks of a comment as they were written', () => {
    const body = '> quoted\n\n    indented **bold** <b>'
    expect(htmlOf({ comments: [comment({ body })] })).toContain(
      '<div style="white-space:pre-wrap">&gt; quoted\n\n    indented **bold** &lt;b&gt;</div>',
    )
  })

  test('keeps the lines of the value of a field', () => {
    const { bug } = bugMailContent()
    const html = htmlOf({ occasion: 'created', bug: { ...bug, url: 'one\n  two' } })
    expect(html).toMatch(/<td valign="top" style="white-space:pre-wrap[^"]*">one\n {2}two<\/td>/)
  })

  test('breaks lines of code in Markdown, and leaves tags that its author wrote as they were', () => {
    const html = '<pre><code>long &lt;pre&gt;</code></pre>\n<blockquote>\n<p>q</p></blockquote>'
    const mail = htmlOf({ comments: [comment({ html })] })
    expect(mail).toContain('<pre style="white-space:pre-wrap"><code>long &lt;pre&gt;</code></pre>')
    expect(mail).toMatch(/<blockquote style="[^"]+">\n<p>q<\/p><\/blockquote>/)
  })

  test('breaks long lines of a comment that is no Markdown', async () => {
    const plain = { baseUrl: '', isOnBug: true, isMarkdown: false }
    const { toHtml } = await parseComment('one\n  two', plain)
    const html = toHtml({ bugId: 35, bugs: new Map(), attachments: new Map() })
    expect(htmlOf({ comments: [comment({ html })] })).toContain(
      '<pre style="white-space:pre-wrap;font:inherit">one\n  two</pre>',
    )
  })

  test.each(['created', 'changed', 'dep_changed'] as const)(
    'escapes every text that people write: %s',
    (occasion) => {
      const html = htmlOf(hostileContent(occasion))
      expect(html).not.toMatch(/<script|<img|onerror='|<\/td><s/)
      expect(html.replace(TAGS, '')).not.toMatch(/[<>"']/)
      expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(5)
      expect(textOf(html)).toContain(HOSTILE)
    },
  )

  test('loads nothing and links to nothing but the service', () => {
    const html = htmlOf(hostileContent('changed'))
    expect(html).not.toMatch(/ src="|<link|<form|<style|url\(/i)
    for (const [, href] of html.matchAll(/href="([^"]*)"/g)) {
      expect(href).toMatch(
        /^https:\/\/tracker\.test\/((bug|attachment)\/\d+(#c\d+)?|unsubscribe\?token=of-ann|account\?tab=mail)$/,
      )
    }
  })

  test('has no links where the service does not know its address', () => {
    const site = { ...bugMailContent().site, baseUrl: '' }
    const reader = mailReader({ wantsHtml: true, unsubscription: null })
    expect(htmlOf({ ...hostileContent('changed'), site, reader })).not.toContain('href')
  })
})
