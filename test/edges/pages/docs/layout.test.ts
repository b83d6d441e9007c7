import { expect, test } from 'vitest'
import { renderLayout } from '../../../../src/edges/pages/docs/layout.ts'

const LINKS = [
  { name: 'bugs', title: 'Bugs <b>' },
  { name: 'flags', title: 'Flags' },
]

test('a page marks itself in the list of pages, and lists its headings when there are several', async () => {
  const headings = ['a', 'b', 'c'].map((anchor) => ({ anchor, text: `Part ${anchor}` }))
  const page = String(
    await renderLayout({ name: 'flags', title: 'Flags', headings }, LINKS, '<p>x</p>'),
  )
  expect(page).toContain('<a href="/docs/flags" aria-current="page">Flags</a>')
  expect(page).toContain('<a href="/docs/bugs">Bugs &lt;b&gt;</a>')
  expect(page).toContain('<a href="#b">Part b</a>')
  expect(page).toContain('<p>x</p>')
  const short = String(
    await renderLayout({ name: 'flags', title: 'Flags', headings: headings.slice(1) }, LINKS, ''),
  )
  expect(short).not.toContain('On this page')
})
