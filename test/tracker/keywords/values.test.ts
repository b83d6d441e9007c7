import { describe, expect, test } from 'vitest'
import { parseKeywordDescription, parseKeywordName } from '../../../src/tracker/keywords/values.ts'

const numbered = (code: number) => expect.objectContaining({ code })

describe('the name of a keyword', () => {
  test.each([
    [' crash ', 'crash'],
    ['leave-open', 'leave-open'],
    ['😀'.repeat(64), '😀'.repeat(64)],
  ])('%j is %j', (given, name) => {
    expect(parseKeywordName(given)).toBe(name)
  })

  test.each([
    ['', 50],
    ['  ', 50],
    ['two words', 53],
    ['a,b', 53],
    ['a\u00a0b', 53],
    ['a\u0000b', 53],
    ['x'.repeat(65), 53],
  ])('is not %j: %d', (given, code) => {
    expect(() => parseKeywordName(given)).toThrow(numbered(code))
  })
})

test('a keyword has a description', () => {
  expect(parseKeywordDescription('a\r\nb ')).toBe('a\nb')
  expect(() => parseKeywordDescription(' \n')).toThrow(numbered(50))
})
