import { describe, expect, test } from 'vitest'
import { findClosingLink, type Link } from '../../../../src/bugs/edits/relations/loops.ts'

describe('a new link closes a loop', () => {
  test.each<[string, Link[], Link[], Link[], Link | undefined]>([
    ['when it leads to itself', [], [], [[1, 1]], [1, 1]],
    ['when the way back is there', [[2, 1]], [], [[1, 2]], [1, 2]],
    [
      'when the way back is long',
      [
        [2, 3],
        [3, 4],
        [4, 1],
      ],
      [],
      [[1, 2]],
      [1, 2],
    ],
    [
      'when the way back is as new',
      [],
      [],
      [
        [1, 2],
        [2, 1],
      ],
      [1, 2],
    ],
    [
      'not when it is there already',
      [
        [1, 2],
        [2, 3],
      ],
      [],
      [[1, 2]],
      undefined,
    ],
    ['not when the way back is cut at the same time', [[2, 1]], [[2, 1]], [[1, 2]], undefined],
    [
      'not when two ways lead on to the same',
      [
        [1, 2],
        [2, 4],
        [3, 4],
      ],
      [],
      [[1, 3]],
      undefined,
    ],
    [
      'not when it only leads to a loop',
      [
        [2, 3],
        [3, 2],
      ],
      [],
      [[1, 2]],
      undefined,
    ],
    [
      'not when it only leads out of a loop',
      [
        [2, 3],
        [3, 2],
      ],
      [],
      [[2, 1]],
      undefined,
    ],
    ['not when nothing is new', [[1, 2]], [], [], undefined],
  ])('%s', (_, standing, gone, added, closing) => {
    expect(findClosingLink(standing, gone, added)).toEqual(closing)
  })

  test('however long the way is', () => {
    const chain = Array.from({ length: 20_000 }, (_, i): Link => [i, i + 1])
    expect(findClosingLink(chain, [], [[20_000, 0]])).toEqual([20_000, 0])
    expect(findClosingLink(chain, [], [[20_000, 20_001]])).toBeUndefined()
  })
})
