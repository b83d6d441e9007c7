import { describe, expect, test } from 'vitest'
import {
  findClosingLink,
  type Link,
} from '../../../../../src/tracker/bugs/edits/relations/loops.ts'

describe('findClosingLink', () => {
  test.each<[string, { links: Link[]; removed: Link[]; added: Link[]; closing: Link | undefined }]>(
    [
      [
        'finds a link to the same bug',
        { links: [], removed: [], added: [[1, 1]], closing: [1, 1] },
      ],
      [
        'finds a link whose way back exists',
        { links: [[2, 1]], removed: [], added: [[1, 2]], closing: [1, 2] },
      ],
      [
        'finds a link whose way back is long',
        {
          links: [
            [2, 3],
            [3, 4],
            [4, 1],
          ],
          removed: [],
          added: [[1, 2]],
          closing: [1, 2],
        },
      ],
      [
        'finds a link whose way back is as new',
        {
          links: [],
          removed: [],
          added: [
            [1, 2],
            [2, 1],
          ],
          closing: [1, 2],
        },
      ],
      [
        'ignores a link that exists already',
        {
          links: [
            [1, 2],
            [2, 3],
          ],
          removed: [],
          added: [[1, 2]],
          closing: undefined,
        },
      ],
      [
        'ignores a link whose way back is removed at the same time',
        { links: [[2, 1]], removed: [[2, 1]], added: [[1, 2]], closing: undefined },
      ],
      [
        'ignores two paths that lead to the same bug',
        {
          links: [
            [1, 2],
            [2, 4],
            [3, 4],
          ],
          removed: [],
          added: [[1, 3]],
          closing: undefined,
        },
      ],
      [
        'ignores a link that only leads to a loop',
        {
          links: [
            [2, 3],
            [3, 2],
          ],
          removed: [],
          added: [[1, 2]],
          closing: undefined,
        },
      ],
      [
        'ignores a link that only leads out of a loop',
        {
          links: [
            [2, 3],
            [3, 2],
          ],
          removed: [],
          added: [[2, 1]],
          closing: undefined,
        },
      ],
      [
        'finds nothing without new links',
        { links: [[1, 2]], removed: [], added: [], closing: undefined },
      ],
    ],
  )('%s', (_, { links: standing, removed: gone, added, closing }) => {
    expect(findClosingLink(standing, gone, added)).toEqual(closing)
  })

  test('follows paths of any length', () => {
    const chain = Array.from({ length: 20_000 }, (_, i): Link => [i, i + 1])
    expect(findClosingLink(chain, [], [[20_000, 0]])).toEqual([20_000, 0])
    expect(findClosingLink(chain, [], [[20_000, 20_001]])).toBeUndefined()
  })
})
