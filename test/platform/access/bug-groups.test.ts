import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  addGroupsStatements,
  assertPairLimit,
  type BugGroupPairs,
  countGroupPairs,
  MAX_BUGS,
  removeGroupsStatements,
  selectInsideGroup,
  selectLackingMandatory,
  selectOutsideGroup,
} from '../../../src/platform/access/bug-groups.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { postBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { onPrimary, runStatements } from '../../support/database/statements.ts'

const pairsIn = async (pairs: BugGroupPairs) =>
  (await execute(sql`SELECT * FROM (${pairs}) ORDER BY bug_id, group_id`)).map((row) => [
    row.bug_id,
    row.group_id,
  ])

const author = await insertPerson()
const a = await insertGroup()
const b = await insertGroup()
const place = await insertProduct()
const strict = await insertProduct({
  controls: [
    { group: a, memberControl: 3, otherControl: 3 },
    { group: b, memberControl: 2, otherControl: 3 },
  ],
})
const bugs: number[] = [
  await postBug(author, place),
  await postBug(author, place),
  await postBug(author, strict),
]
await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${bugs[2]}`)
await restrictBug(bugs[0] ?? 0, a)

describe('pairs of bugs and groups', () => {
  test('are selected inside and outside a group of a product', async () => {
    expect(await pairsIn(selectInsideGroup(place.id, a.id))).toEqual([[bugs[0], a.id]])
    expect(await pairsIn(selectOutsideGroup(place.id, a.id))).toEqual([[bugs[1], a.id]])
    expect(await pairsIn(selectInsideGroup(strict.id, a.id))).toEqual([])
  })

  test('are selected where a bug lacks one of the given groups that is mandatory', async () => {
    expect(await pairsIn(selectLackingMandatory([a.id, b.id]))).toEqual([[bugs[2], a.id]])
    expect(await pairsIn(selectLackingMandatory([b.id]))).toEqual([])
    expect(
      await pairsIn(selectLackingMandatory(sql`(SELECT id FROM access_groups WHERE id = ${a.id})`)),
    ).toHaveLength(1)
  })

  test('are counted up to one more than the limit', async () => {
    const { counted } = await readBatch(onPrimary(), {
      counted: countGroupPairs(selectOutsideGroup(place.id, b.id)),
    })
    expect(counted).toEqual([{ number: 2 }])
    const many = sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30000)
      SELECT i AS bug_id, i AS group_id FROM n`
    expect((await readBatch(onPrimary(), { counted: countGroupPairs(many) })).counted).toEqual([
      { number: MAX_BUGS + 1 },
    ])
    expect(catchFaultCode(() => assertPairLimit([{ number: MAX_BUGS + 1 }]))).toBe(32000)
    expect(catchFaultCode(() => assertPairLimit([{ number: MAX_BUGS }]))).toBeUndefined()
    expect(catchFaultCode(() => assertPairLimit(undefined))).toBeUndefined()
  })
})

test('several groups are added to a bug, or removed from it, in one history row', async () => {
  const id = await postBug(author, place)
  const both = sql`SELECT ${id} AS bug_id, access_groups.id AS group_id FROM access_groups
    WHERE access_groups.id IN (${a.id}, ${b.id})`
  const later = NOW + 5000
  await execute(sql`UPDATE bugs SET changed_at = ${later} WHERE id = ${id}`)
  await runStatements(addGroupsStatements(both, { caller: author, now: NOW }))
  expect((await loadRowsOfBug('bug_groups', id)).map((row) => row.group_id)).toEqual([a.id, b.id])
  await runStatements(removeGroupsStatements(both, { caller: author, now: later + 60 }))
  expect(await loadRowsOfBug('bug_groups', id)).toEqual([])
  const names = [a.name, b.name].sort().join(', ')
  expect(await loadRowsOfBug('history', id)).toMatchObject([
    // never older than what has happened to the bug
    { author_id: author.id, changed_at: later, field: 'groups', removed: '', added: names },
    { changed_at: later + 60, removed: names, removed_fold: names.toLowerCase(), added: '' },
  ])
})
