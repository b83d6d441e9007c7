import { describe, expect, test } from 'vitest'
import { assertId } from '../../src/http/assert-id.ts'

describe('assertId', () => {
  test.each([
    ['1', 1],
    [' 42 ', 42],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %j', (given, expected) => {
    expect(assertId('ids', given)).toBe(expected)
  })

  test.each(['0', '000', '1000000000000000', '-1', 'x', ''])('refuses %j with 52', (given) => {
    expect(() => assertId('ids', given)).toThrow(expect.objectContaining({ code: 52 }))
  })
})
