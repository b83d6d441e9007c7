import { describe, expect, test } from 'vitest'
import { requireId } from '../../src/http/require-id.ts'

describe('assertId', () => {
  test.each([
    ['1', 1],
    [' 42 ', 42],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %j', (given, expected) => {
    expect(requireId('ids', given)).toBe(expected)
  })

  test.each(['0', '000', '1000000000000000', '-1', 'x', ''])('refuses %j with 52', (given) => {
    expect(() => requireId('ids', given)).toThrow(expect.objectContaining({ code: 52 }))
  })
})
