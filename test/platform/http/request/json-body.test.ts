import { describe, expect, test } from 'vitest'
import { parseJsonBody } from '../../../../src/platform/http/request/json-body.ts'

/** A body whose innermost object stands at this level. */
function nestObjects(levels: number, padding = ''): string {
  const around = levels - 1
  return `${'{"1":'.repeat(around)}{"text":"${padding}"}${'}'.repeat(around)}`
}

describe('a body', () => {
  test.each(['', ' \n', 'null', '{}'])('%j has no parameters', (text) => {
    expect(parseJsonBody(text)).toEqual({})
  })

  test.each(['[]', '1', '"text"', 'true'])(
    '%s is rejected with 32000, because parameters have names',
    (text) => {
      expect(() => parseJsonBody(text)).toThrow('must be a JSON object')
    },
  )

  test('keeps `__proto__` as an ordinary member', () => {
    const body = parseJsonBody('{"__proto__":{"x":1},"a":2}')
    expect(Object.keys(body)).toEqual(['__proto__', 'a'])
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype)
  })
})

describe('the levels of a body', () => {
  test('may be 1,000', () => {
    expect(() => parseJsonBody(nestObjects(1000, 'x'.repeat(2000)))).not.toThrow()
  })

  test.each([
    ['objects', nestObjects(1001)],
    ['lists', `{"a":${'['.repeat(1000)}${']'.repeat(1000)}}`],
    ['very many objects', nestObjects(200_000)],
  ])('are refused above that, be they %s', (_, text) => {
    expect(() => parseJsonBody(text)).toThrow('nested too deeply')
  })
})

describe('lone surrogates in a body become U+FFFD', () => {
  test.each([
    [String.raw`a\ud800b`, 'a\ufffdb'],
    [String.raw`\uDFFF\uD800`, '\ufffd\ufffd'],
    [String.raw`\ud83d\ud83d\ude00`, '\ufffd\u{1f600}'],
    [String.raw`\\\ud800`, '\\\ufffd'],
    ['\u{1f600}\\ude00', '\u{1f600}\ufffd'],
  ])('as in %s', (escaped, text) => {
    expect(parseJsonBody(`{"a":"${escaped}"}`)).toEqual({ a: text })
  })

  test.each([
    [String.raw`\uD83D\uDE00`, '\u{1f600}'],
    [String.raw`\\ud800`, String.raw`\ud800`],
    [String.raw`\\\\ud800`, String.raw`\\ud800`],
    [String.raw`\u0041`, 'A'],
  ])('but %s has none', (escaped, text) => {
    expect(parseJsonBody(`{"a":"${escaped}"}`)).toEqual({ a: text })
  })

  test('in names too, and the last of equal names prevails', () => {
    expect(parseJsonBody(String.raw`{"\ud83d":1,"\ud83e":2}`)).toEqual({ '\ufffd': 2 })
  })
})

describe('a number beyond the range of doubles becomes null', () => {
  test.each(['1e999', '-1e999', '1E+309', '9'.repeat(309), `${'9'.repeat(300)}e9`])(
    '%s',
    (number) => {
      expect(parseJsonBody(`{"a":{"b":[${number},1]}}`)).toEqual({ a: { b: [null, 1] } })
    },
  )

  test.each(['1e308', '1e-999', '9'.repeat(308)])('and %s is within it', (number) => {
    expect(parseJsonBody(`{"a":${number}}`)).toEqual({ a: Number(number) })
  })
})
