import { describe, expect, test } from 'vitest'
import { writeComments } from '../../../src/tracker/comments/streamed-comments.ts'

describe('comments are streamed', () => {
  async function text(ids: number[], ...of: number[]): Promise<unknown> {
    async function* shown() {
      for (const [i, bugId] of of.entries()) {
        yield [{ bugId, comment: { i } }]
      }
    }
    let whole = ''
    for await (const piece of writeComments(ids, shown())) {
      whole += piece
    }
    return JSON.parse(whole)
  }

  test.each([
    [[], [], {}],
    [[1], [], { 1: { comments: [] } }],
    [
      [1, 2, 3],
      [2, 2],
      { 1: { comments: [] }, 2: { comments: [{ i: 0 }, { i: 1 }] }, 3: { comments: [] } },
    ],
    [[1, 2], [1, 2], { 1: { comments: [{ i: 0 }] }, 2: { comments: [{ i: 1 }] } }],
  ])('as a list for each of the bugs %j, when they are on the bugs %j', async (ids, of, bugs) => {
    expect(await text(ids, ...of)).toEqual({ bugs, comments: {} })
  })
})
