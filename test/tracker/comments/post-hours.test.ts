import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { postBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { post } from '../../support/client.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const LONG_AGO = NOW - 1_000_000

let bug: number

const author = await insertPerson()
const tracker = await insertPerson({ roles: ['timetracking'] })
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(author, place)
  await execute(
    sql`UPDATE bugs SET changed_at = ${LONG_AGO}, remaining_time = 5 WHERE id = ${bug}`,
    sql`DELETE FROM notices WHERE bug_id = ${bug}`,
  )
})

const sendComment = (who: TestPerson, body: unknown, id: number | string = bug) =>
  post(who, `/rest/bug/${id}/comment`, body)

describe('POST /bug/:id/comment', () => {
  const changesOfBug = async () =>
    (await loadRowsOfBug('history', bug)).map(({ field, removed, added }) => [
      field,
      removed,
      added,
    ])

  test.each<[unknown, number, [string, string][]]>([
    [
      1.5,
      3.5,
      [
        ['', '1.5'],
        ['5', '3.5'],
      ],
    ],
    [
      '2',
      3,
      [
        ['', '2'],
        ['5', '3'],
      ],
    ],
    [
      '.25',
      4.75,
      [
        ['', '0.25'],
        ['5', '4.75'],
      ],
    ],
    [
      0.014,
      4.99,
      [
        ['', '0.01'],
        ['5', '4.99'],
      ],
    ],
    [
      7,
      0,
      [
        ['', '7'],
        ['5', '0'],
      ],
    ],
    [
      -2,
      7,
      [
        ['', '-2'],
        ['5', '7'],
      ],
    ],
    [
      99999.99,
      0,
      [
        ['', '99999.99'],
        ['5', '0'],
      ],
    ],
    [0, 5, []],
    ['', 5, []],
    [null, 5, []],
  ])('records %j hours, which leaves %d', async (work_time, left, words) => {
    const answer = await sendComment(tracker, { comment: 'Worked.', work_time })
    expect(answer.status, answer.text).toBe(201)
    expect((await loadBugRow(bug)).remaining_time).toBe(left)
    expect((await changesOfBug()).map(([, ...change]) => change)).toEqual(words)
    const expected = words.length === 0 ? [] : ['work_time', 'remaining_time']
    expect((await changesOfBug()).map(([field]) => field)).toEqual(expected)
  })

  test('records the hours of people who track time, and ignores those of others', async () => {
    expect((await sendComment(author, { comment: 'Worked.', work_time: 'much' })).status).toBe(201)
    expect((await loadRowsOfBug('comments', bug))[1]).toMatchObject({ work_time: 0 })
    expect(await changesOfBug()).toEqual([])
  })

  test('records hours with their comment, so that work on a private comment stays private', async () => {
    const both = await insertPerson({ roles: ['timetracking', 'insider'] })
    const { body } = await sendComment(both, { comment: 'Hush.', is_private: true, work_time: 2 })
    const [work, left] = await loadRowsOfBug('history', bug)

    expect(work).toMatchObject({ field: 'work_time', comment_id: body.id })
    expect(left).toMatchObject({ field: 'remaining_time', comment_id: null })
  })

  test('records hours on several bugs, each with its own remaining time', async () => {
    const other = await postBug(author, place)
    await sendComment(tracker, { ids: [other], comment: 'Worked.', work_time: 2 })
    expect(await changesOfBug()).toHaveLength(2)
    expect((await loadRowsOfBug('history', other)).map(({ field }) => field)).toEqual(['work_time'])
  })

  test.each<[unknown, number]>([
    ['much', 52],
    ['1,5', 52],
    ['1e3', 52],
    [true, 52],
    [{ hours: 1 }, 52],
    [99999.995, 54],
    ['123456789012345', 54],
    [-100000, 55],
  ])('does not record %j hours', async (work_time, code) => {
    await expectRefusal(() => sendComment(tracker, { comment: 'x', work_time }), code, 'work_time')
  })
})
