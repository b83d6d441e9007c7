import { describe, expect, test } from 'vitest'
import { saysSomething } from '../../src/bugs/says.ts'

describe('whether a value says something', () => {
  test.each([[0], ['0'], [false], ['false'], [''], [null], [undefined], [[]], [['']], [{}]])(
    '%j does not',
    (value) => {
      expect(saysSomething(value)).toBe(false)
    },
  )

  test.each([[1], ['1'], [true], ['x'], [[0]], [{ add: ['x'] }], [{ 12: false }], [{ set: [0] }]])(
    '%j does',
    (value) => {
      expect(saysSomething(value)).toBe(true)
    },
  )

  test('a list of lists does, however deep it goes', () => {
    let nested: unknown = []
    for (let depth = 0; depth < 20_000; depth += 1) {
      nested = [nested]
    }
    expect(saysSomething(nested)).toBe(true)
  })
})
