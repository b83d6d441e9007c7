import { describe, expect, test } from 'vitest'
import { hasContent } from '../../../src/bugs/model/content.ts'

describe('whether a value says something', () => {
  test.each([[0], ['0'], [false], ['false'], [''], [null], [undefined], [[]], [['']], [{}]])(
    '%j does not',
    (value) => {
      expect(hasContent(value)).toBe(false)
    },
  )

  test.each([[1], ['1'], [true], ['x'], [[0]], [{ add: ['x'] }], [{ 12: false }], [{ set: [0] }]])(
    '%j does',
    (value) => {
      expect(hasContent(value)).toBe(true)
    },
  )

  test('a list of lists does, however deep it goes', () => {
    let nested: unknown = []
    for (let depth = 0; depth < 20_000; depth += 1) {
      nested = [nested]
    }
    expect(hasContent(nested)).toBe(true)
  })
})
