import { describe, expect, test } from 'vitest'
import { requireMaxLength } from '../../../src/platform/faults/checks.ts'

describe('requireMaxLength', () => {
  test.each(['', 'abc', '😀😀😀'])(
    'returns %j, which has no more characters than it may',
    (text) => {
      expect(requireMaxLength('name', text, 3)).toBe(text)
    },
  )

  test('rejects a longer text with 53, which names the field and the limit', () => {
    expect(() => requireMaxLength('icon_url', 'abcd', 3)).toThrow(
      expect.objectContaining({
        code: 53,
        message: expect.stringMatching(/icon_url.*at most 3 characters/),
      }),
    )
  })
})
