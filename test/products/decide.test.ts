import { describe, expect, test } from 'vitest'
import { partName, productDescription, productName } from '../../src/products/decide.ts'

const numbered = (code: number) => expect.objectContaining({ code })

describe('the name of a product', () => {
  test('is one line without white space around it', () => {
    expect(productName('  A\nB ')).toBe('A B')
    expect(productName('😀'.repeat(64))).toHaveLength(128)
  })

  test.each([
    [undefined, 700],
    ['', 700],
    [' \n ', 700],
    ['x'.repeat(65), 701],
  ])('is refused as %j: %d', (given, code) => {
    expect(() => productName(given)).toThrow(numbered(code))
  })
})

test('the description of a product may have many lines, but not none', () => {
  expect(productDescription('a\r\nb\n')).toBe('a\nb')
  for (const blank of [undefined, '', ' \n']) {
    expect(() => productDescription(blank)).toThrow(numbered(703))
  }
})

describe('the name of a part', () => {
  test.each([
    ['version', 64],
    ['milestone', 20],
  ] as const)('of the kind %s has at most %d characters', (kind, most) => {
    expect(partName(kind, ` ${'x'.repeat(most)} `)).toHaveLength(most)
    expect(() => partName(kind, 'x'.repeat(most + 1))).toThrow(numbered(53))
    expect(() => partName(kind, '  ')).toThrow(numbered(50))
  })
})
