import { describe, expect, test } from 'vitest'
import { requireId } from '../../../../src/platform/http/operations/require-id.ts'

describe('requireId', () => {
  test.each([
    ['1', 1],
    [' 42 ', 42],
    ['999999999999999', 999_999_999_999_999],
  ])('reads %j', (text, expected) => {
    expect(requireId('ids', text)).toBe(expected)
  })

  test.each(['0', '000', '1000000000000000', '-1', 'x', ''])('rejects %j with 52', (text) => {
    expect(() => requireId('ids', text)).toThrow(expect.objectContaining({ code: 52 }))
  })
})
