import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { copyBug, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { ANYONE, get, put, type Sender } from '../../../support/client.ts'
import { changeBug, readWholeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../../../support/database/flags.ts'
import { summarizeFieldHistory } from '../../../support/database/history.ts'
import { buildFlagUpdateWorld } from '../../../support/worlds/flag-updates.ts'

type Body = Record<string, unknown>

/** So long ago that a change visibly moves the time of the bug. */
const LONG_AGO = NOW - 1_000_000

let bug: number

const { place, reporter, ann, bob, granter, editor, types } = await buildFlagUpdateWorld()

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await updateBugRow(bug, { created_at: LONG_AGO, changed_at: LONG_AGO })
})

type TypeName = keyof typeof types

const flagOf = (type: TypeName, status: string, more: Body = {}) => ({
  name: types[type].name,
  status,
  ...more,
})
const requestOf = (type: TypeName, more: Body = {}) => flagOf(type, '?', more)
const updateFlags = (who: Sender, ...flags: Body[]) => put(who, `/rest/bug/${bug}`, { flags })
const changeOf = (removed: string, added: string) => ({ 'flagtypes.name': { removed, added } })

describe('PUT /bug with flags', () => {
  test('requests, grants, denies and clears a flag step by step', async () => {
    const { name } = types.open
    const answer = await updateFlags(ann, requestOf('open', { requestee: bob.login.toUpperCase() }))
    expect(answer).toMatchObject({ status: 200, cost: { trips: 3 } })
    expect(answer.body.bugs[0].changes).toEqual({
      ...changeOf('', `${name}?(${bob.login})`),
      cc: { removed: '', added: bob.login },
    })
    expect((await readWholeBug(ANYONE, bug)).flags).toMatchObject([
      { name, status: '?', setter: ann.login, requestee: bob.login, type_id: types.open.id },
    ])
    const { changed_at } = await loadBugRow(bug)
    expect(Number(changed_at)).toBeGreaterThan(LONG_AGO)

    const steps: [TestPerson, string, string, string][] = [
      [bob, '+', `${name}?(${bob.login})`, `${name}+`],
      [ann, '-', `${name}+`, `${name}-`],
      [ann, '?', `${name}-`, `${name}?`],
      [bob, 'X', `${name}?`, ''],
    ]
    for (const [who, status, removed, added] of steps) {
      expect(await changeBug(who, bug, { flags: [flagOf('open', status)] })).toEqual(
        changeOf(removed, added),
      )
    }
    expect(await loadFlags(bug)).toEqual([])
    expect((await loadFlagActivity(bug)).map((row) => [row.status, row.setter_id])).toEqual([
      ['?', ann.id],
      ['+', bob.id],
      ['-', ann.id],
      ['?', ann.id],
      ['X', bob.id],
    ])
    expect(await summarizeFieldHistory(bug, 'flagtypes.name')).toEqual([
      ` > ${name}?(${bob.login})`,
      ...steps.map(([, , removed, added]) => `${removed} > ${added}`),
    ])
  })

  test('records flags under the notice and at the time of the update', async () => {
    await changeBug(ann, bug, { flags: requestOf('open'), comment: 'Who knows this?' })
    const [notice] = (await loadRowsOfBug('notices', bug)).filter(({ kind }) => kind === 'changed')
    const { changed_at } = await loadBugRow(bug)
    const rows = await loadRowsOfBug('history', bug)
    expect(rows).toMatchObject([{ field: 'flagtypes.name', notice_id: notice?.id, changed_at }])
    expect(await loadFlags(bug)).toMatchObject([
      { created_at: changed_at, modified_at: changed_at },
    ])
    expect(await loadFlagActivity(bug)).toMatchObject([{ happened_at: changed_at }])
    const history = await get(ANYONE, `/rest/bug/${bug}/history`)
    expect(history.body.bugs[0].history).toMatchObject([
      { who: ann.login, changes: [{ field_name: 'flagtypes.name', removed: '' }] },
    ])
  })

  test('writes nothing when the flags do not change', async () => {
    await changeBug(ann, bug, { flags: [requestOf('open', { requestee: bob.login })] })
    const before = [await loadFlags(bug), await loadBugRow(bug)]
    const same = requestOf('open', { requestee: bob.login })
    expect(await changeBug(reporter, bug, { flags: [same, flagOf('single', 'X')] })).toEqual({})
    expect([await loadFlags(bug), await loadBugRow(bug)]).toEqual(before)
    expect(await loadFlagActivity(bug)).toHaveLength(1)
  })

  test('keeps the setter of a request that gets another requestee', async () => {
    await changeBug(ann, bug, { flags: [requestOf('open', { requestee: bob.login })] })
    const { name } = types.open
    const request = requestOf('open', { requestee: reporter.login })
    expect(await changeBug(bob, bug, { flags: [request] })).toEqual(
      changeOf(`${name}?(${bob.login})`, `${name}?(${reporter.login})`),
    )
    expect(await loadFlags(bug)).toMatchObject([
      { setter_id: ann.id, requestee_id: reporter.id, status: '?' },
    ])
    // the reporter of the bug gets mail about it anyway
    expect(await loadRowsOfBug('bug_cc', bug)).toEqual([{ bug_id: bug, user_id: bob.id }])
  })

  test('changes several flags of a type by their IDs and adds another one', async () => {
    const more = { new: true }
    await changeBug(ann, bug, { flags: [flagOf('open', '+'), flagOf('open', '-', more)] })
    const [first, second] = await loadFlags(bug)
    const flags = [
      { id: second?.id, status: '+' },
      { id: first?.id, status: 'X' },
      requestOf('single'),
    ]
    await changeBug(ann, bug, { flags })
    expect(await summarizeFlags(bug)).toEqual([`${types.open.name}+`, `${types.single.name}?`])
    await changeBug(ann, bug, { flags: [{ type_id: types.open.id, status: '?', new: true }] })
    expect(await summarizeFlags(bug)).toHaveLength(3)
  })

  test('changes existing flags of an inactive type, but sets no new ones', async () => {
    await changeBug(ann, bug, { flags: [requestOf('open')] })
    await execute(sql`UPDATE flag_types SET is_active = 0 WHERE id = ${types.open.id}`)
    try {
      await changeBug(ann, bug, { flags: [flagOf('open', '+')] })
      await changeBug(ann, bug, { flags: [flagOf('open', 'X')] })
      await expectRefusal(() => updateFlags(ann, requestOf('open')), 134, types.open.name)
    } finally {
      await execute(sql`UPDATE flag_types SET is_active = 1 WHERE id = ${types.open.id}`)
    }
  })

  test('sets flags on all bugs of the request or on none', async () => {
    const other = await postBug(reporter, place)
    const { status, body } = await put(ann, `/rest/bug/${bug}`, {
      ids: [other],
      flags: [flagOf('single', '+')],
    })
    expect(status).toBe(200)
    expect(body.bugs.map((one: Body) => one.changes)).toEqual([
      changeOf('', `${types.single.name}+`),
      changeOf('', `${types.single.name}+`),
    ])
    await changeBug(ann, other, { flags: [flagOf('single', 'X')] })
    const both = { ids: [other], flags: [flagOf('single', '-', { new: true })] }
    await expectRefusal(() => put(ann, `/rest/bug/${bug}`, both), 32000, types.single.name)
    expect(await summarizeFlags(other)).toEqual([])
  })
})

describe('POST /bug with flags', () => {
  test('sets the flags and records them at the time when the bug is filed', async () => {
    const { name } = types.open
    const id = await postBug(ann, place, {
      flags: [
        requestOf('open', { requestee: bob.login }),
        flagOf('single', '+'),
        flagOf('guarded', 'X'),
      ],
    })
    const { created_at } = await loadBugRow(id)
    const times = { created_at, modified_at: created_at, setter_id: ann.id }
    expect(await loadFlags(id)).toMatchObject([
      { name, status: '?', requestee_id: bob.id, ...times },
      { name: types.single.name, status: '+', requestee_id: null, ...times },
    ])
    const [notice] = await loadRowsOfBug('notices', id)
    expect(await loadRowsOfBug('history', id)).toMatchObject([
      {
        field: 'flagtypes.name',
        removed: '',
        added: `${name}?(${bob.login}), ${types.single.name}+`,
        changed_at: created_at,
        notice_id: notice?.id,
      },
    ])
    expect((await loadFlagActivity(id)).map(({ status }) => status)).toEqual(['?', '+'])
    expect(await loadRowsOfBug('bug_cc', id)).toEqual([{ bug_id: id, user_id: bob.id }])
  })

  test('records flags on the new bug alone when links change other bugs', async () => {
    const id = await postBug(editor, place, { depends_on: [bug], flags: [requestOf('open')] })
    expect(await summarizeFlags(id)).toEqual([`${types.open.name}?`])
    expect((await loadRowsOfBug('history', bug)).map(({ field }) => field)).toEqual(['blocks'])
    expect(await summarizeFieldHistory(id, 'flagtypes.name')).toEqual([` > ${types.open.name}?`])
  })

  test('adds a requestee to the CC list only once, and not if that is the reporter', async () => {
    const request = requestOf('open', { requestee: bob.login })
    const own = requestOf('single', { requestee: ann.login })
    const id = await postBug(ann, place, { cc: [bob.login], flags: [request, own] })
    expect(await loadRowsOfBug('bug_cc', id)).toEqual([{ bug_id: id, user_id: bob.id }])
  })
})

test('PUT /bug changes the flags of a hundred bugs together with other fields in two round trips', async () => {
  const ids = await copyBug(bug, 100)
  const answer = await put(editor, `/rest/bug/${bug}`, {
    ids,
    whiteboard: '[all]',
    cc: { add: [granter.login] },
    flags: [requestOf('open', { requestee: bob.login }), flagOf('single', '+')],
    comment: { body: 'All of them.' },
  })
  expect(answer).toMatchObject({ status: 200, cost: { trips: 2 } })
  expect(answer.body.bugs).toHaveLength(101)
  const expected = [`${types.open.name}?(${bob.id})`, `${types.single.name}+`]
  expect(await summarizeFlags(ids[0] ?? 0)).toEqual(expected)
  expect(await summarizeFlags(ids.at(-1) ?? 0)).toEqual(expected)
})
