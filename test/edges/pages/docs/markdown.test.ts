import { describe, expect, test } from 'vitest'
import {
  cutSection,
  DocumentationMarkdown,
  titleOf,
  toDocsPath,
} from '../../../../src/edges/pages/docs/markdown.ts'

const markdown = new DocumentationMarkdown()

describe('a page of Markdown', () => {
  test('loses its title, which stands elsewhere, and gives its headings', () => {
    const { html, headings } = markdown.render(
      'bugs',
      '# Bugs\n\nText.\n\n## Get `one`\n\n### More\n',
    )
    expect(html).toBe(
      '<p>Text.</p>\n<h2 id="get-one">Get <code>one</code></h2>\n<h3 id="more">More</h3>\n',
    )
    expect(headings).toEqual([{ anchor: 'get-one', text: 'Get one' }])
    expect(titleOf('# Bugs\n\n## Get')).toBe('Bugs')
  })

  test('gets panels below its headings', () => {
    const { html } = markdown.render('bugs', '## Get\n\nText.', (anchor) => `<p>[${anchor}]</p>\n`)
    expect(html).toBe('<h2 id="get">Get</h2>\n<p>[get]</p>\n<p>Text.</p>\n')
  })

  test('has an anchor of its own for each of several equal headings', () => {
    const { html } = markdown.render('bugs', '## Rules\n## Rules\n## Rules')
    expect([...html.matchAll(/id="([^"]+)"/g)].map(([, id]) => id)).toEqual([
      'rules',
      'rules-1',
      'rules-2',
    ])
  })

  test('shows markup as text', () => {
    const { html } = markdown.render('bugs', '<script>x</script> [a](javascript:x)')
    expect(html).toBe('<p>&lt;script&gt;x&lt;/script&gt; [a](javascript:x)</p>\n')
  })

  test('has an anchor for the first row of each number of an error', () => {
    const rows =
      '## Table of errors\n\n| n | f |\n|---|---|\n| 51 | a |\n| 51 | b |\n| -32000 | c |\n'
    const { html } = markdown.render('errors', rows)
    expect([...html.matchAll(/<tr(.*)>/g)].map(([, attribute]) => attribute)).toEqual([
      '',
      ' id="error-51"',
      '',
      ' id="error--32000"',
    ])
    expect(markdown.render('bugs', rows).html).not.toContain('error-51')
  })

  test('leaves diagrams out, because pages load no script', () => {
    const { html } = markdown.render('concepts', 'Text.\n\n```mermaid\nflowchart TD\n```\n')
    expect(html).toBe('<p>Text.</p>\n')
  })

  test('calls pages by their names', () => {
    expect(markdown.render('bugs', 'See [flags.md](flags.md).').html).toBe(
      '<p>See <a href="/docs/flags">flags</a>.</p>\n',
    )
  })
})

test.each([
  ['bugs.md#get', '/docs/bugs#get'],
  ['#get', '/docs/flags#get'],
  ['README.md#limits', '/docs/conventions#limits'],
  ['../reference/keywords.md', '/docs/keywords'],
  ['https://example.com/a', 'https://example.com/a'],
  ['/rest/version', '/rest/version'],
])('a link to %s leads to %s', (href, path) => {
  expect(toDocsPath(href, 'flags')).toBe(path)
})

test('a section reaches to the next heading of its level', () => {
  const page = '# A\n\n## One\n\na\n\n### In one\n\nb\n\n## Two\n\nc\n'
  expect(cutSection(page, 'one').trim()).toBe('a\n\n### In one\n\nb')
  expect(cutSection(page, 'in-one').trim()).toBe('b')
  expect(cutSection(page, 'two').trim()).toBe('c')
  expect(cutSection(page, 'three')).toBe('')
})
