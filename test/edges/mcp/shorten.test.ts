import { describe, expect, test } from 'vitest'
import {
  cutLists,
  omitEmpty,
  readCount,
  shortenObjects,
  shortenTexts,
  takePage,
} from '../../../src/edges/mcp/shorten.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const SIZE = { what: 'things', normal: 2, most: 3 }

describe('a page', () => {
  test.each([
    [{}, [1, 2], '1 to 2 of 5 things. For more, call again with offset 2.'],
    [{ limit: 9 }, [1, 2, 3], '1 to 3 of 5 things. For more, call again with offset 3.'],
    [{ limit: 0 }, [1, 2], '1 to 2 of 5 things. For more, call again with offset 2.'],
    [{ offset: '3' }, [4, 5], '4 to 5 of 5 things.'],
    [{ offset: 5 }, [], 'None of 5 things.'],
  ])('of five things by %j', (given, items, note) => {
    expect(takePage([1, 2, 3, 4, 5], given, SIZE)).toEqual({ items, note })
  })

  test('of everything says nothing', () => {
    expect(takePage([1, 2], {}, SIZE)).toEqual({ items: [1, 2] })
    expect(takePage([], {}, SIZE)).toEqual({ items: [] })
  })

  test('ends before the result would be too long, but not before its first item', () => {
    const long = 'x'.repeat(30_000)
    expect(takePage([long, long], {}, SIZE).items).toHaveLength(1)
    expect(takePage(['x'.repeat(90_000), 'y'], {}, SIZE).items).toHaveLength(1)
    expect(takePage([long, 'y'], {}, SIZE).items).toHaveLength(2)
  })
})

describe('a number among arguments', () => {
  test.each([['-1'], ['x'], [1.5], [true], [''], ['1e3'], [[]], [{}]])(
    'is refused with 52: %j',
    (limit) => {
      expect(catchFaultCode(() => readCount({ limit }, 'limit', SIZE))).toBe(52)
    },
  )

  test.each([
    [undefined, 2],
    [null, 2],
    ['1', 1],
    [1, 1],
    [50, 3],
  ])('%j is read as %d', (limit, expected) => {
    expect(readCount({ limit }, 'limit', SIZE)).toBe(expected)
  })
})

describe('a long text', () => {
  test('is cut wherever it stands, and says how to get the rest', () => {
    const cut = 'ab [1 more characters; ask with text_length 3]'
    expect(shortenTexts({ a: ['abc', 'ab', 1], b: { c: 'abc' }, d: null }, 2)).toEqual({
      ...{ a: [cut, 'ab', 1], b: { c: cut }, d: null },
    })
  })

  test('is not cut within a character', () => {
    const text = shortenTexts('a😀b', 2)
    expect(text).toContain('a\ufffd [')
  })

  test('is cut at the length that the caller wants', () => {
    const objects = [{ text: 'x'.repeat(4000), empty: '' }]
    const [cut] = shortenObjects(objects, {}) as { text: string }[]
    expect(cut?.text).toMatch(/^x{3000} \[1000 more characters; ask with text_length 4000\]$/)
    expect(shortenObjects(objects, { text_length: 4000 })).toEqual([{ text: 'x'.repeat(4000) }])
  })
})

test('a long list within an object is cut, with a note on where to find the rest', () => {
  const cc = Array.from({ length: 101 }, (_, n) => n)
  expect(cutLists({ id: 1, cc, keywords: ['a'] }, 'GET /x')).toEqual({
    object: { id: 1, cc: cc.slice(0, 100), keywords: ['a'] },
    note: 'cc has 101 items, of which the first 100 are here. GET /x has all.',
  })
  expect(cutLists({ cc: [1] }, 'GET /x')).toEqual({ object: { cc: [1] } })
})

test('empty members are left out, false and 0 are not', () => {
  const said = { a: 0, b: false, c: 'x', d: [0] }
  expect(omitEmpty({ ...said, e: '', f: null, g: [] })).toEqual(said)
})
