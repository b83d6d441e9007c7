import { describe, expect, test } from 'vitest'
import {
  parsePartName,
  parseProductDescription,
  parseProductName,
} from '../../../src/tracker/products/values.ts'

const numbered = (code: number) => expect.objectContaining({ code })

describe('the name of a product', () => {
  test('is one line without white space around it', () => {
    expect(parseProductName('  A\nB ')).toBe('A B')
    expect(parseProductName('😀'.repeat(64))).toHaveLength(128)
  })

  test.each([
    [undefined, 700],
    ['', 700],
    [' \n ', 700],
    ['x'.repeat(65), 701],
  ])('is refused as %j: %d', (given, code) => {
    expect(() => parseProductName(given)).toThrow(numbered(code))
  })
})

test('the description of a product may have many lines, but not none', () => {
  expect(parseProductDescription('a\r\nb\n')).toBe('a\nb')
  for (const blank of [undefined, '', ' \n']) {
    expect(() => parseProductDescription(blank)).toThrow(numbered(703))
  }
})

describe('the name of a part', () => {
  test.each([
    ['version', 64],
    ['milestone', 20],
  ] as const)('of the kind %s has at most %d characters', (kind, most) => {
    expect(parsePartName(kind, ` ${'x'.repeat(most)} `)).toHaveLength(most)
    expect(() => parsePartName(kind, 'x'.repeat(most + 1))).toThrow(numbered(53))
    expect(() => parsePartName(kind, '  ')).toThrow(numbered(50))
  })
})
