import { describe, expect, test } from 'vitest'
import { operations } from '../../src/app.ts'
import { anchorOf, readHeadings, readLinks, readOperations } from './page.ts'
import { pages } from './pages.ts'

const INDEX = 'README.md'

/** Each operation as pages write it; what a path parameter may hold is left out. */
const offered = operations.map(
  ({ method, path }) => `${method} /rest${path.replace(/\{[^}]*\}/g, '')}`,
)

describe('docs/reference', () => {
  test.each(Object.entries(pages))('%s has one title and no heading twice', (_, markdown) => {
    const headings = readHeadings(markdown)
    expect(headings.filter(({ depth }) => depth === 1).length).toBe(1)
    const anchors = headings.map(({ title }) => anchorOf(title))
    expect(anchors.filter((anchor, at) => anchors.indexOf(anchor) !== at)).toEqual([])
  })

  test('describes every operation in exactly one page', () => {
    const described = Object.values(pages).flatMap(readOperations)
    expect(described.toSorted()).toEqual(offered.toSorted())
  })

  test.each(Object.entries(pages))('%s describes operations that exist', (_, markdown) => {
    expect(readOperations(markdown).filter((name) => !offered.includes(name))).toEqual([])
  })

  test.each(Object.entries(pages))(
    '%s links to pages and headings that exist',
    (name, markdown) => {
      const broken = readLinks(markdown).filter(({ page, anchor }) => {
        const target = pages[page === '' ? name : page]
        const anchors = readHeadings(target ?? '').map(({ title }) => anchorOf(title))
        return target === undefined || (anchor !== '' && !anchors.includes(anchor))
      })
      expect(broken).toEqual([])
    },
  )

  test('names every page in the index', () => {
    const linked = readLinks(pages[INDEX] ?? '').map(({ page }) => page)
    const others = Object.keys(pages).filter((name) => name !== INDEX)
    expect(others.filter((name) => !linked.includes(name))).toEqual([])
  })
})
