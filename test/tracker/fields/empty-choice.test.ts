import { expect, test } from 'vitest'
import { hasEmptyChoice } from '../../../src/tracker/fields/empty-choice.ts'

test.each([
  [true, 2, true],
  [true, 3, false],
  [true, 1, false],
  [false, 2, false],
])(
  'a field that is custom: %j, of type %d, has an empty choice: %j',
  (isCustom, type, expected) => {
    expect(hasEmptyChoice({ isCustom, type })).toBe(expected)
  },
)
