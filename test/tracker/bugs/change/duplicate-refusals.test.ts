import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeBugs } from '../../../../src/tracker/bugs/change/change.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'
import {
  forgetChanges,
  postBug,
  restrictBug,
  updateBugRow,
} from '../../../support/builders/bugs.ts'
import { buildCtx } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { put } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { readBothTexts } from '../../../support/clients/comments.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { openInterruptedSession } from '../../../support/fakes/sessions.ts'

type Body = Record<string, unknown>

let bug: number
let original: number

const editor = await insertPerson({ roles: ['editbugs', 'timetracking'] })
const reporter = await insertPerson()
const stranger = await insertPerson()
const team = await insertGroup()
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await changeBug(editor, bug, { status: 'CONFIRMED' })
  original = await postBug(editor, place)
  await forgetChanges(bug)
  await forgetChanges(original)
})

/** Somebody with editbugs who is in the team. */
function allSeeing(): Promise<TestPerson> {
  return insertPerson({ roles: ['editbugs'], groups: [team] })
}

describe('PUT /bug with dupe_of', () => {
  test.each<[string, number, () => Body, string]>([
    ['a null dupe_of', 50, () => ({ dupe_of: null }), 'dupe_of'],
    ['a blank dupe_of', 50, () => ({ dupe_of: ' ' }), 'dupe_of'],
    ['an unknown alias', 100, () => ({ dupe_of: 'no-such-bug' }), 'no-such-bug'],
    ['an unknown number', 101, () => ({ dupe_of: 2147483647 }), '2147483647'],
    ['the bug itself', 118, () => ({ dupe_of: bug }), 'leads back'],
    [
      'an unknown resolution beside dupe_of',
      51,
      () => ({ dupe_of: original, resolution: 'DONE' }),
      'DONE',
    ],
    [
      'a status that the workflow does not allow',
      123,
      () => ({ dupe_of: original, status: 'VERIFIED' }),
      'VERIFIED',
    ],
    [
      'the resolution DUPLICATE without dupe_of',
      119,
      () => ({ status: 'RESOLVED', resolution: 'DUPLICATE' }),
      'dupe_of',
    ],
  ])('rejects %s with %i', async (_, code, body, naming) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body()), code, naming)
  })

  test('rejects a chain of duplicates that leads back to the bug with 118, however long it is', async () => {
    const between = await postBug(editor, place)
    await changeBug(editor, original, { dupe_of: between })
    await changeBug(editor, between, { dupe_of: bug })
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { dupe_of: original }), 118)
  })

  test('rejects a loop that somebody else closes at the same time with 118', async () => {
    const session = openInterruptedSession(2, () => changeBug(editor, original, { dupe_of: bug }))
    const input = changeBugInput.parse({ id_or_alias: String(bug), dupe_of: original })
    await expect(
      changeBugs.run(buildCtx(editor, ['editbugs'], session), input),
    ).rejects.toMatchObject({
      code: 118,
    })
    expect(await loadBugRow(bug)).toMatchObject({ dupe_of_id: null })
  })

  test('rejects one original for several bugs at once with 32000', async () => {
    const other = await postBug(editor, place)
    const both = { ids: [other], dupe_of: original }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, both), 32000, 'dupe_of')
  })

  test('rejects an original that the caller may not see with 102', async () => {
    await restrictBug(original, team)
    await updateBugRow(original, { reporter_id: stranger.id, assigned_to_id: stranger.id })
    await expectRefusal(() => put(reporter, `/rest/bug/${bug}`, { dupe_of: original }), 102)
  })

  test('rejects people who have no role in the bug with 115', async () => {
    await expectRefusal(
      () => put(stranger, `/rest/bug/${bug}`, { dupe_of: original }),
      115,
      'dupe_of',
    )
    expect(await changeBug(reporter, bug, { dupe_of: original })).toHaveProperty('dupe_of')
  })

  test('rejects a duplicate without the comment that the workflow requires with 32000', async () => {
    const edge = sql`from_id = (SELECT id FROM field_values WHERE name = 'CONFIRMED')
      AND to_id = (SELECT id FROM field_values WHERE name = 'RESOLVED')`
    await execute(sql`UPDATE status_transitions SET comment_required = 1 WHERE ${edge}`)
    try {
      await expectRefusal(() => put(editor, `/rest/bug/${bug}`, { dupe_of: original }), 32000)
      await changeBug(editor, bug, { dupe_of: original, comment: 'The same.' })
    } finally {
      await execute(sql`UPDATE status_transitions SET comment_required = 0 WHERE ${edge}`)
    }
  })
})

describe('the visibility of duplicates', () => {
  test('hides the original from people who may not see it when the bug stops being a duplicate', async () => {
    await changeBug(editor, bug, { dupe_of: original })
    await restrictBug(original, team)
    await execute(sql`DELETE FROM bug_cc WHERE bug_id = ${original}`)
    const changes = await changeBug(reporter, bug, { resolution: 'INVALID' })
    expect(changes).toEqual({ resolution: { removed: 'DUPLICATE', added: 'INVALID' } })
    expect(await loadBugRow(bug)).toMatchObject({ dupe_of_id: null })
  })

  test('hides a hidden duplicate from readers of the original', async () => {
    await restrictBug(bug, team)
    await changeBug(await allSeeing(), bug, { dupe_of: original })
    expect(await readBothTexts(stranger, original)).toEqual([
      ['*** Another bug has been marked as a duplicate of this bug. ***', ''],
    ])
    expect(await readWholeBug(stranger, original)).toMatchObject({ duplicates: [] })
  })
})
