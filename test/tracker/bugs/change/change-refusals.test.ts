import { beforeEach, describe, expect, test } from 'vitest'
import { postBug, restrictBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { ANYONE, get, put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'

let bug: number

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const insider = await insertPerson({ roles: ['insider'] })
const stranger = await insertPerson()
const member = await insertPerson()
const team = await insertGroup([member])
const place = await insertProduct()

beforeEach(async () => {
  bug = await postBug(reporter, place)
})

describe('PUT /bug', () => {
  test('rejects anonymous callers with 410 before it looks for the bug', async () => {
    await expectRefusal(() => put(ANYONE, '/rest/bug/2147483647', {}), 410)
  })

  test('rejects the change of all bugs when one of them cannot be changed', async () => {
    const closed = await postBug(editor, place, { status: 'RESOLVED', resolution: 'FIXED' })
    const hidden = await postBug(member, await insertProduct(), {})
    await restrictBug(hidden, team)
    const body = { resolution: 'INVALID', comment: 'x', cc: { add: [stranger.login] } }
    for (const [ids, code] of [
      [[closed, bug], 122],
      [[closed, hidden], 102],
      [[closed, 'no-such-alias'], 100],
      [[closed, 2147483647], 101],
    ] as const) {
      await expectRefusal(() => put(editor, `/rest/bug/${ids[0]}`, { ids, ...body }), code)
    }
  })

  test('rejects bugs of a product that the caller may not edit with 109, before it checks values', async () => {
    const home = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const guarded = await postBug(reporter, home)
    await expectRefusal(
      () => put(editor, `/rest/bug/${bug}`, { ids: [guarded], priority: 'nonsense' }),
      109,
      home.name,
    )
    expect(await changeBug(member, guarded, { comment: 'Mine.' })).toEqual({})
  })

  test.each<[string, number, Record<string, unknown>]>([
    [
      'a private comment from somebody who is no insider',
      113,
      { comment: { body: 'x', is_private: true } },
    ],
    ['a comment of more than 65,535 characters', 114, { comment: 'x'.repeat(65_536) }],
    ['a flag of an unknown type', 51, { flags: [{ name: 'x', status: '?' }] }],
    ['a list in place of an edit', 53, { cc: ['x'] }],
  ])('rejects %s with %i', async (_, code, body) => {
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), code)
  })
})

describe('the visibility of PUT /bug', () => {
  test('hides bugs from people who may not see them with 102', async () => {
    await restrictBug(bug, team)
    await expectRefusal(
      () => put(stranger, `/rest/bug/${bug}`, { whiteboard: 'x' }),
      102,
      String(bug),
    )
    expect(await changeBug(reporter, bug, { whiteboard: '[x]' })).not.toEqual({})
  })

  test('hides changes of hours from people who do not track time', async () => {
    const tracker = await insertPerson({ roles: ['editbugs', 'timetracking'] })
    const resolve = { status: 'RESOLVED', resolution: 'FIXED' }
    await updateBugRow(bug, { remaining_time: 2.5 })
    expect(Object.keys(await changeBug(editor, bug, { status: 'CONFIRMED' }))).toHaveLength(2)
    expect((await loadBugRow(bug)).remaining_time, 'an open bug keeps its hours').toBe(2.5)
    expect(Object.keys(await changeBug(editor, bug, resolve))).toEqual(['status', 'resolution'])
    expect((await loadRowsOfBug('history', bug)).at(-1)).toMatchObject({
      field: 'remaining_time',
      removed: '2.5',
      added: '0',
    })
    expect((await loadBugRow(bug)).remaining_time).toBe(0)
    await updateBugRow(bug, { remaining_time: 3 })
    expect(await changeBug(tracker, bug, { status: 'VERIFIED' })).toEqual({
      status: { removed: 'RESOLVED', added: 'VERIFIED' },
      remaining_time: { removed: '3', added: '0' },
    })
  })

  test('hides the text of a private comment from people who are no insiders', async () => {
    await changeBug(insider, bug, { comment: { body: 'Hush.', is_private: true } })
    const seen = await get(editor, `/rest/bug/${bug}/comment`)
    expect(seen.body.bugs[bug].comments).toHaveLength(1)
  })
})
