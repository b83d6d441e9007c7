import { describe, expect, test } from 'vitest'
import { hasContent } from '../../../../src/tracker/bugs/model/content.ts'

describe('hasContent', () => {
  test.each([[0], ['0'], [false], ['false'], [''], [null], [undefined], [[]], [['']], [{}]])(
    'is false for %j',
    (value) => {
      expect(hasContent(value)).toBe(false)
    },
  )

  test.each([[1], ['1'], [true], ['x'], [[0]], [{ add: ['x'] }], [{ 12: false }], [{ set: [0] }]])(
    'is true for %j',
    (value) => {
      expect(hasContent(value)).toBe(true)
    },
  )

  test('is true for nested lists of any depth', () => {
    let nested: unknown = []
    for (let depth = 0; depth < 20_000; depth += 1) {
      nested = [nested]
    }
    expect(hasContent(nested)).toBe(true)
  })
})
