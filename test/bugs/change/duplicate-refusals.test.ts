import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../src/bugs/change/change.ts'
import { changeBugInput } from '../../../src/bugs/change/input.ts'
import { postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { get, put } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { openInterruptedSession } from '../../support/fakes/sessions.ts'

type Body = Record<string, unknown>

let place: TestProduct
let editor: TestPerson
let reporter: TestPerson
let stranger: TestPerson
let team: TestGroup
let bug: number
let original: number

beforeAll(async () => {
  editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
  reporter = await insertPerson()
  stranger = await insertPerson()
  team = await insertGroup()
  place = await insertProduct()
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await changeBug(editor, bug, { status: 'CONFIRMED' })
  original = await postBug(editor, place)
  for (const id of [bug, original]) {
    await updateBugRow(id, { changed_at: 1000 })
    await execute(
      sql`DELETE FROM history WHERE bug_id = ${id}`,
      sql`DELETE FROM notices WHERE bug_id = ${id}`,
    )
  }
})

async function textsOf(who: TestPerson, id: number): Promise<[string, string][]> {
  const { body } = await get(who, `/rest/bug/${id}/comment`)
  return body.bugs[id].comments
    .slice(1)
    .map(({ text, raw_text }: { text: string; raw_text: string }) => [text, raw_text])
}

/** Somebody with editbugs who is in the team. */
function allSeeing(): Promise<TestPerson> {
  return insertPerson({ roles: ['editbugs'], groups: [team] })
}

describe('marking a duplicate refuses', () => {
  test.each<[string, () => Body, number, number, string]>([
    ['nothing', () => ({ dupe_of: null }), 400, 50, 'dupe_of'],
    ['a blank', () => ({ dupe_of: ' ' }), 400, 50, 'dupe_of'],
    ['an unknown alias', () => ({ dupe_of: 'no-such-bug' }), 400, 100, 'no-such-bug'],
    ['an unknown number', () => ({ dupe_of: 2147483647 }), 404, 101, '2147483647'],
    ['the bug itself', () => ({ dupe_of: bug }), 400, 118, 'leads back'],
    [
      'an unknown resolution besides',
      () => ({ dupe_of: original, resolution: 'DONE' }),
      404,
      51,
      'DONE',
    ],
    [
      'a status out of reach',
      () => ({ dupe_of: original, status: 'VERIFIED' }),
      400,
      123,
      'VERIFIED',
    ],
    [
      'the resolution alone',
      () => ({ status: 'RESOLVED', resolution: 'DUPLICATE' }),
      400,
      119,
      'dupe_of',
    ],
  ])('%s', async (_, body, status, code, naming) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body()), status, code, naming)
  })

  test('a chain that leads back, however long', async () => {
    const between = await postBug(editor, place)
    await changeBug(editor, original, { dupe_of: between })
    await changeBug(editor, between, { dupe_of: bug })
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { dupe_of: original }), 400, 118)
  })

  test('a chain that somebody else closes at the same moment', async () => {
    const session = openInterruptedSession(2, () => changeBug(editor, original, { dupe_of: bug }))
    const input = changeBugInput.parse({ id_or_alias: String(bug), dupe_of: original })
    await expect(changeBugs(buildCtx(editor, ['editbugs'], session), input)).rejects.toMatchObject({
      code: 118,
    })
    expect(await loadBugRow(bug)).toMatchObject({ dupe_of_id: null })
  })

  test('several bugs at once', async () => {
    const other = await postBug(editor, place)
    const both = { ids: [other], dupe_of: original }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, both), 400, 32000, 'dupe_of')
  })

  test('a bug that the caller may not see', async () => {
    await restrictBug(original, team)
    await updateBugRow(original, { reporter_id: stranger.id, assigned_to_id: stranger.id })
    await expectRefusal(() => put(reporter, `/rest/bug/${bug}`, { dupe_of: original }), 401, 102)
  })

  test('who has no part in the bug', async () => {
    await expectRefusal(
      () => put(stranger, `/rest/bug/${bug}`, { dupe_of: original }),
      401,
      115,
      'dupe_of',
    )
    expect(await changeBug(reporter, bug, { dupe_of: original })).toHaveProperty('dupe_of')
  })

  test('to go without the comment that the workflow asks for', async () => {
    const edge = sql`from_id = (SELECT id FROM field_values WHERE name = 'CONFIRMED')
      AND to_id = (SELECT id FROM field_values WHERE name = 'RESOLVED')`
    await execute(sql`UPDATE status_transitions SET comment_required = 1 WHERE ${edge}`)
    try {
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { dupe_of: original }), 400, 32000)
      await changeBug(editor, bug, { dupe_of: original, comment: 'The same.' })
    } finally {
      await execute(sql`UPDATE status_transitions SET comment_required = 0 WHERE ${edge}`)
    }
  })
})

describe('duplicates hide', () => {
  test('the original from who may not see it, when the bug is one no longer', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    await restrictBug(original, team)
    await execute(sql`DELETE FROM bug_cc WHERE bug_id = ${original}`)
    const changes = await changeBug(reporter, bug, { resolution: 'INVALID' })
    expect(changes).toEqual({ resolution: { removed: 'DUPLICATE', added: 'INVALID' } })
    expect(await loadBugRow(bug)).toMatchObject({ dupe_of_id: null })
  })

  test('a hidden duplicate from who reads the original', async () => {
    await restrictBug(bug, team)
    await changeBug(await allSeeing(), bug, { dupe_of: original })
    expect(await textsOf(stranger, original)).toEqual([
      ['*** Another bug has been marked as a duplicate of this bug. ***', ''],
    ])
    expect(await readWholeBug(stranger, original)).toMatchObject({ duplicates: [] })
  })
})
