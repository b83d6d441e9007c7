import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import {
  assertFewPairs,
  editPairs,
  groupEdits,
  NEW_BUG,
  touchedBy,
} from '../../../../src/tracker/bugs/edits/statements.ts'
import type { ListEdit } from '../../../../src/tracker/bugs/model/capability.ts'
import { execute } from '../../../support/database/execute.ts'

function edit(...bugIds: number[]): ListEdit {
  return {
    changed: bugIds.map((id) => sql`SELECT ${id} AS bug_id, 'x' AS field`),
    statements: [],
  }
}

test('groupEdits groups bugs with the same edit', () => {
  const add = [7, 8]
  expect(
    groupEdits([
      { bugId: 1, add, remove: [] },
      { bugId: 2, add: [], remove: [9] },
      { bugId: 3, add: [...add], remove: [] },
    ]),
  ).toEqual([
    { bugs: [1, 3], items: [7, 8], isAdded: 1 },
    { bugs: [2], items: [9], isAdded: 0 },
  ])
})

test('editPairs returns the items one by one, in their order, for each bug', async () => {
  const edits = [
    { bugId: 1, add: ['b', 'a'], remove: ['c'] },
    { bugId: 2, add: ['b', 'a'], remove: ['c'] },
  ]
  const rows = await execute(sql`${editPairs(edits)} ORDER BY bug_id, is_added, place`)
  expect(rows.map((row) => [row.bug_id, row.item, row.is_added, row.place])).toEqual(
    [1, 2].flatMap((bug) => [
      [bug, 'c', 0, 0],
      [bug, 'b', 1, 0],
      [bug, 'a', 1, 1],
    ]),
  )
})

test('editPairs resolves the bug that the same commit files, on both sides', async () => {
  const [newest] = await execute(sql`SELECT max(id) AS id FROM bugs`)
  const rows = await execute(editPairs([{ bugId: NEW_BUG, add: [NEW_BUG], remove: [] }]))
  expect(rows).toMatchObject([{ bug_id: newest?.id, item: newest?.id }])
})

test.each([0, 1, 2, 7, 20])('touchedBy returns each bug of %i edits once', async (count) => {
  const edits = Array.from({ length: count }, (_, i) => edit(i, i + 1))
  const rows = await execute(sql`SELECT bug_id FROM (${touchedBy(edits)}) ORDER BY bug_id`)
  expect(rows.map((row) => row.bug_id)).toEqual(
    count === 0 ? [] : Array.from({ length: count + 1 }, (_, i) => i),
  )
})

test('an edit of more than 10,000 entries is 53, however they are spread over bugs', () => {
  const add = Array.from({ length: 21 }, (_, n) => n)
  const edits = Array.from({ length: 500 }, (_, bugId) => ({ bugId, add, remove: [] }))
  expect(() => assertFewPairs('keywords', edits)).toThrow(
    expect.objectContaining({ code: 53, message: expect.stringContaining("'keywords'") }),
  )
  const fewer = edits.map((edit) => ({ ...edit, add: add.slice(1) }))
  expect(() => assertFewPairs('keywords', fewer)).not.toThrow()
})
