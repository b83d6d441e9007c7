import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  clearRemainingTimeStatements,
  lowerRemainingTimeStatements,
  parseHours,
  parseWorkTime,
} from '../../../src/tracker/comments/hours.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'

const codeOf = (attempt: () => unknown) => {
  try {
    return attempt()
  } catch (error) {
    return (error as { code: number }).code
  }
}

describe('hours', () => {
  test.each<[unknown, number]>([
    [undefined, 0],
    [null, 0],
    ['', 0],
    [' ', 0],
    [2, 2],
    ['10.0', 10],
    [' 2.5 ', 2.5],
    ['.25', 0.25],
    ['3.', 3],
    [0.125, 0.13],
    [99_999.99, 99_999.99],
    ['-0', 0],
  ])('%j are %d', (given, expected) => {
    expect(parseHours('estimated_time', given)).toBe(expected)
  })

  test.each<[unknown, number]>([
    ['two', 52],
    ['1e3', 52],
    ['1,5', 52],
    [true, 52],
    [[1], 52],
    ['0x10', 52],
    [{}, 52],
    [100_000, 54],
    [99_999.991, 54],
    [-0.01, 55],
    ['-5', 55],
  ])('%j is refused as %d', (given, code) => {
    expect(codeOf(() => parseHours('estimated_time', given))).toBe(code)
  })

  test('of work may be negative, within bounds', () => {
    expect(parseWorkTime('-2.5')).toBe(-2.5)
    expect(codeOf(() => parseWorkTime(-100_000))).toBe(55)
    expect(codeOf(() => parseWorkTime(100_000))).toBe(54)
  })
})

describe('hours that remain', () => {
  test.each([
    [5, 2, 3],
    [5, 7, 0],
    [0, -2, 2],
    [0.3, 0.1, 0.2],
    [5, 0, 5],
    [99_999, -5, 99_999.99],
  ])('of %d, after %d worked, are %d, and then none', async (remaining, worked, left) => {
    const reporter = await insertPerson()
    const { id } = await insertBug({ reporter })
    const these = sql`bugs.id = ${id}`
    const recording = { authorId: reporter.id, noticeOf: () => sql`NULL` }
    const remains = sql`SELECT remaining_time FROM bugs WHERE id = ${id}`
    await execute(sql`UPDATE bugs SET remaining_time = ${remaining} WHERE id = ${id}`)

    await execute(...lowerRemainingTimeStatements(these, worked, recording))
    expect(await execute(remains)).toEqual([{ remaining_time: left }])

    await execute(...clearRemainingTimeStatements(these, recording))
    expect(await execute(remains)).toEqual([{ remaining_time: 0 }])
    const changes = await execute(
      sql`SELECT removed, added FROM history WHERE bug_id = ${id} ORDER BY id`,
    )
    expect(changes).toEqual(
      [
        { removed: String(remaining), added: String(left) },
        { removed: String(left), added: '0' },
      ].filter(({ removed, added }) => removed !== added),
    )
  })
})
