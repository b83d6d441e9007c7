import { describe, expect, test } from 'vitest'
import { parseComment } from '../../../../src/platform/lib/markdown/markdown.ts'
import type { LinkTargets } from '../../../../src/platform/lib/markdown/markdown-html.ts'
import { COSTLY_TEXTS, HOSTILE_TEXTS } from '../../../support/tables/hostile-markdown.ts'

const BASE = 'https://tracker.test'

const TARGETS: LinkTargets = {
  bugId: 5,
  bugs: new Map([
    [1, { status: 'RESOLVED', resolution: 'FIXED', isOpen: false, summary: 'A "<b>" bug' }],
    [2, { status: 'IN PROGRESS', resolution: '', isOpen: true, summary: 'Open' }],
  ]),
  attachments: new Map([
    [7, { summary: 'A <patch>', isObsolete: false }],
    [8, { summary: 'Old', isObsolete: true }],
  ]),
}

const BUG_1_ATTRIBUTES = `class="bug-link status-RESOLVED closed" title="RESOLVED FIXED - A &quot;&lt;b&gt;&quot; bug"`
const BUG_2_ATTRIBUTES = 'class="bug-link status-IN-PROGRESS" title="IN PROGRESS - Open"'
const EXTERNAL_ATTRIBUTES = 'target="_blank" rel="nofollow noreferrer"'

async function render(text: string, more: object = {}, targets = TARGETS): Promise<string> {
  const options = { baseUrl: BASE, isOnBug: true, isMarkdown: true, ...more }
  return (await parseComment(text, options)).toHtml(targets).trimEnd()
}

const renderParagraph = async (text: string) =>
  (await render(text)).replace(/^<p>(.*)<\/p>$/s, (_, inside) => inside)

describe('parseComment', () => {
  test.each([
    ['', ''],
    ['a\nb\n\nc', '<p>a<br>\nb</p>\n<p>c</p>'],
    ['# a', '<h1>a</h1>'],
    ['*a* **b** ~~c~~ `d`', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>d</code></p>'],
    ['> a', '<blockquote>\n<p>a</p>\n</blockquote>'],
    ['```js\na < b\n```', '<pre><code class="language-js">a &lt; b\n</code></pre>'],
    [
      '- [ ] a\n- [x] b\n- [X] c\n- [y] d\n- [x]e',
      `<ul>\n<li><input type="checkbox" disabled> a</li>
<li><input type="checkbox" disabled checked> b</li>
<li><input type="checkbox" disabled checked> c</li>\n<li>[y] d</li>\n<li>[x]e</li>\n</ul>`,
    ],
    [
      '|a|\n|-|\n|b|',
      '<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>b</td>\n</tr>\n</tbody>\n</table>',
    ],
    ['[x] is no task', '<p>[x] is no task</p>'],
    ['<foo> <b>x</b>', '<p>&lt;foo&gt; &lt;b&gt;x&lt;/b&gt;</p>'],
    ['a ![b](https://c.test/d.png) e', '<p>a  e</p>'],
  ])('renders Markdown %j', async (text, html) => {
    expect(await render(text)).toBe(html)
  })
})

describe('a link', () => {
  test.each([
    [
      'https://a.test/b?c=1&d.',
      `<a href="https://a.test/b?c=1&amp;d" ${EXTERNAL_ATTRIBUTES}>https://a.test/b?c=1&amp;d</a>.`,
    ],
    ['<http://a.test/>', `<a href="http://a.test/" ${EXTERNAL_ATTRIBUTES}>http://a.test/</a>`],
    ['www.a.test, b', `<a href="http://www.a.test" ${EXTERNAL_ATTRIBUTES}>www.a.test</a>, b`],
    ['irc://a.test/b', `<a href="irc://a.test/b" ${EXTERNAL_ATTRIBUTES}>irc://a.test/b</a>`],
    ['ann@a.test', '<a href="mailto:ann@a.test">ann@a.test</a>'],
    ['[a](//b.test)', `<a href="//b.test" ${EXTERNAL_ATTRIBUTES}>a</a>`],
    ['[a](https://b.test "c")', `<a href="https://b.test" title="c" ${EXTERNAL_ATTRIBUTES}>a</a>`],
    ['[a](/rest/version)', '<a href="/rest/version">a</a>'],
    [`${BASE}/rest/version`, `<a href="${BASE}/rest/version">${BASE}/rest/version</a>`],
    [
      `${BASE}.evil.test/bug/1`,
      `<a href="${BASE}.evil.test/bug/1" ${EXTERNAL_ATTRIBUTES}>${BASE}.evil.test/bug/1</a>`,
    ],
    ['[a](javascript:b)', '<a href="">a</a>'],
    ['[a](data:text/html,b)', '<a href="">a</a>'],
    ['<javascript:a>', '&lt;javascript:a&gt;'],
    ['main.rs and README.md', 'main.rs and README.md'],
  ])('renders %s', async (text, html) => {
    expect(await renderParagraph(text)).toBe(html)
  })
})

describe('a reference', () => {
  test.each([
    ['bug 1', `<a href="${BASE}/bug/1" ${BUG_1_ATTRIBUTES}>bug 1</a>`],
    ['(Bug #2)', `(<a href="${BASE}/bug/2" ${BUG_2_ATTRIBUTES}>Bug #2</a>)`],
    ['BUG2.', `<a href="${BASE}/bug/2" ${BUG_2_ATTRIBUTES}>BUG2</a>.`],
    ['bug 1 comment 3', `<a href="${BASE}/bug/1#c3" ${BUG_1_ATTRIBUTES}>bug 1 comment 3</a>`],
    ['bug 1, comment #3', `<a href="${BASE}/bug/1#c3" ${BUG_1_ATTRIBUTES}>bug 1, comment #3</a>`],
    [
      'bug 1, bug 2',
      `<a href="${BASE}/bug/1" ${BUG_1_ATTRIBUTES}>bug 1</a>, <a href="${BASE}/bug/2" ${BUG_2_ATTRIBUTES}>bug 2</a>`,
    ],
    ['comment 4', `<a href="${BASE}/bug/5#c4">comment 4</a>`],
    ['Comment #0', `<a href="${BASE}/bug/5#c0">Comment #0</a>`],
    [
      'attachment 7',
      `<a href="${BASE}/attachment/7" class="attachment-link" title="A &lt;patch&gt;">attachment 7</a> <a href="${BASE}/attachment/7/details">[details]</a>`,
    ],
    [`${BASE}/bug/1#c2`, `<a href="${BASE}/bug/1#c2" ${BUG_1_ATTRIBUTES}>${BASE}/bug/1#c2</a>`],
    [
      `${BASE}/show_bug.cgi?id=2`,
      `<a href="${BASE}/show_bug.cgi?id=2" ${BUG_2_ATTRIBUTES}>${BASE}/show_bug.cgi?id=2</a>`,
    ],
    ['bug 3', 'bug 3'],
    ['bug 3 comment 1', 'bug 3 comment 1'],
    ['attachment 9', 'attachment 9'],
    ['bug 0', 'bug 0'],
    ['bug 2147483648', 'bug 2147483648'],
    ['debug 1', 'debug 1'],
    ['bug 1x', 'bug 1x'],
    ['bug number 1', 'bug number 1'],
    ['*bug 1*', '<em>bug 1</em>'],
    ['**bug 1**', '<strong>bug 1</strong>'],
    ['`bug 1`', '<code>bug 1</code>'],
    ['[bug 1](https://a.test)', `<a href="https://a.test" ${EXTERNAL_ATTRIBUTES}>bug 1</a>`],
  ])('renders %s', async (text, html) => {
    expect(await renderParagraph(text)).toBe(html)
  })

  test.each(['# bug 1', '- bug 1', '> bug 1', '|a|\n|-|\n|bug 1|', '- [ ] bug 1'])(
    'is linked in %j',
    async (text) => {
      expect(await render(text)).toContain(`<a href="${BASE}/bug/1" ${BUG_1_ATTRIBUTES}>bug 1</a>`)
    },
  )

  test('to an obsolete attachment has the class obsolete', async () => {
    expect(await render('attachment 8')).toContain('class="attachment-link obsolete"')
  })

  test('to a comment stays text outside of a bug', async () => {
    expect(await render('comment 4', { isOnBug: false })).toBe('<p>comment 4</p>')
  })

  test('is collected once in all its forms', async () => {
    const options = { baseUrl: BASE, isOnBug: false, isMarkdown: true }
    const text = `bug 3 bug #3 bug 1 comment 2 attachment 9 *bug 4* ${BASE}/bug/6 \`bug 7\``
    const { bugIds, attachmentIds } = await parseComment(text, options)

    expect([bugIds, attachmentIds]).toEqual([[3, 1, 6], [9]])
  })

  test('is not linked behind the thousandth', async () => {
    const options = { baseUrl: BASE, isOnBug: false, isMarkdown: true }
    const text = Array.from({ length: 1005 }, (_, i) => `bug ${i + 10}`).join(' ')

    expect((await parseComment(text, options)).bugIds).toHaveLength(1000)
  })
})

describe('plain text', () => {
  const renderPlain = (text: string) => render(text, { isMarkdown: false })

  test('keeps its characters, with links and marked quotes', async () => {
    expect(await renderPlain('  *a* <b>\n> bug 1\n\nhttps://a.test')).toBe(
      `<pre class="plain">  *a* &lt;b&gt;\n<span class="quote">&gt; <a href="${BASE}/bug/1" ${BUG_1_ATTRIBUTES}>bug 1</a></span>\n\n<a href="https://a.test" ${EXTERNAL_ATTRIBUTES}>https://a.test</a></pre>`,
    )
    expect(await renderPlain('')).toBe('')
  })

  test('follows a first line that switches Markdown off', async () => {
    expect(await render('#[markdown(off)]\n*a*')).toBe('<pre class="plain">*a*</pre>')
    expect(await render('#[markdown(off)]  \n')).toBe('')
    expect(await render('x\n#[markdown(off)]\n*a*')).toContain('<em>a</em>')
    expect(await render('#[markdown(off)] *a*')).toContain('<em>a</em>')
  })
})

const SAFE_ATTRIBUTES: Record<string, RegExp> = {
  href: /^(https?:|ftp:|ircs?:|news:|mailto:|[^:]*$|[^:]*[/?#])/i,
  class: /^[^<>]*$/,
  title: /^[^<>]*$/,
  target: /^_blank$/,
  rel: /^nofollow noreferrer$/,
  style: /^text-align:(left|right|center)$/,
  type: /^checkbox$/,
  start: /^\d+$/,
}

const SAFE_TAGS =
  'p br h1 h2 h3 h4 h5 h6 em strong del code pre blockquote ul ol li hr a span input table thead tbody tr th td'.split(
    ' ',
  )

/** The tags in HTML that a comment must not have. */
function findUnsafeTags(html: string): string[] {
  const tags = [...html.matchAll(/<[^>]*>?/g)].map(([tag]) => tag)
  return tags.filter((tag) => {
    const [, name = '', attributes = ''] =
      /^<\/?([a-z0-9]+)((?: [a-z]+(?:="[^"<>]*")?)*)>$/.exec(tag) ?? []
    const pairs = [...attributes.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)]
    const areSafe = pairs.every(
      ([, key = '', value]) =>
        SAFE_ATTRIBUTES[key]?.test(value ?? '') ||
        (name === 'input' && /^(disabled|checked)$/.test(key)),
    )
    return !SAFE_TAGS.includes(name) || !areSafe
  })
}

describe('the HTML of a hostile text', () => {
  test('is checked by a function that finds unsafe tags', () => {
    for (const bad of [
      '<script>',
      '<p onclick="x">',
      '<a href="javascript:x">',
      '<a href="java\tscript:x">',
      "<a href='x'>",
      '<img src="x">',
      '<p <b>',
      '<p',
    ]) {
      expect(findUnsafeTags(bad)).toEqual([bad].flatMap((text) => text.match(/<[^>]*>?/g) ?? []))
    }
  })

  test.each(HOSTILE_TEXTS)('has no markup from the text %j', async (text) => {
    for (const more of [{}, { isMarkdown: false }]) {
      for (const around of [
        text,
        `- ${text}`,
        `> ${text}\n`,
        `**${text}**`,
        `| ${text} |\n|-|\n`,
      ]) {
        expect(findUnsafeTags(await render(around, more))).toEqual([])
      }
    }
  })

  test.each(Object.entries(COSTLY_TEXTS))(
    'has a size in proportion to a text of %s',
    async (_, text) => {
      for (const more of [{}, { isMarkdown: false }]) {
        const html = await render(text, more)
        expect(html.length).toBeLessThan(1_000_000)
        expect(findUnsafeTags(html)).toEqual([])
      }
    },
  )
})
