import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, copyBug, postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestFlagType, TestPerson, TestProduct } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, get, post, put, type Sender } from '../../support/client.ts'
import { changeBug, readWholeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { loadFlagActivity, loadFlags, summarizeFlags } from '../../support/database/flags.ts'

type Body = Record<string, unknown>

/** Long before any change, so that a change is seen to move it. */
const LONG_AGO = NOW - 1_000_000

let place: TestProduct
let reporter: TestPerson
let ann: TestPerson
let bob: TestPerson
let granter: TestPerson
let requester: TestPerson
let editor: TestPerson
let types: Record<
  'open' | 'guarded' | 'single' | 'retired' | 'plain' | 'answer' | 'twin' | 'foreign' | 'paper',
  TestFlagType
>
let bug: number

beforeAll(async () => {
  place = await insertProduct()
  reporter = await insertPerson()
  ann = await insertPerson()
  bob = await insertPerson()
  granter = await insertPerson()
  requester = await insertPerson()
  editor = await insertPerson({ roles: ['editbugs'] })
  const grantGroupId = (await insertGroup([granter])).id
  const requestGroupId = (await insertGroup([requester])).id
  const here = [{ productId: place.id }]
  const elsewhere = await insertProduct()
  types = {
    open: await insertFlagType({}, here),
    guarded: await insertFlagType({ grantGroupId, requestGroupId }, here),
    single: await insertFlagType({ isMultiplicable: false }, here),
    retired: await insertFlagType({ isActive: false }, here),
    plain: await insertFlagType({ isRequesteeble: false }, here),
    answer: await insertFlagType({ isRequestable: false }, here),
    twin: await insertFlagType({}, here),
    foreign: await insertFlagType({}, [{ productId: elsewhere.id }]),
    paper: await insertFlagType({ target: 'attachment' }, here),
  }
  await insertFlagType({ name: types.twin.name }, here)
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await updateBugRow(bug, { created_at: LONG_AGO, changed_at: LONG_AGO })
})

type Kind = keyof typeof types

const ask = (kind: Kind, more: Body = {}) => ({ name: types[kind].name, status: '?', ...more })
const set = (kind: Kind, status: string, more: Body = {}) => ({
  name: types[kind].name,
  status,
  ...more,
})
const change = (who: Sender, ...flags: Body[]) => put(who, `/rest/bug/${bug}`, { flags })
const word = (removed: string, added: string) => ({ 'flagtypes.name': { removed, added } })

async function told(id = bug): Promise<string[]> {
  const rows = (await loadRowsOfBug('history', id)).filter(
    ({ field }) => field === 'flagtypes.name',
  )
  return rows.map(({ removed, added }) => `${removed} > ${added}`)
}

describe('an update of flags answers', () => {
  test('a request, its grant, its denial and its end, step by step', async () => {
    const { name } = types.open
    const asking = await change(ann, ask('open', { requestee: bob.login.toUpperCase() }))
    expect(asking).toMatchObject({ status: 200, cost: { trips: 3 } })
    expect(asking.body.bugs[0].changes).toEqual({
      ...word('', `${name}?(${bob.login})`),
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
      expect(await changeBug(who, bug, { flags: [set('open', status)] })).toEqual(
        word(removed, added),
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
    expect(await told()).toEqual([
      ` > ${name}?(${bob.login})`,
      ...steps.map(([, , removed, added]) => `${removed} > ${added}`),
    ])
  })

  test('under the notice of the update, at its moment', async () => {
    await changeBug(ann, bug, { flags: ask('open'), comment: 'Who knows this?' })
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

  test('nothing where nothing changes', async () => {
    await changeBug(ann, bug, { flags: [ask('open', { requestee: bob.login })] })
    const before = [await loadFlags(bug), await loadBugRow(bug)]
    const same = ask('open', { requestee: bob.login })
    expect(await changeBug(reporter, bug, { flags: [same, set('single', 'X')] })).toEqual({})
    expect([await loadFlags(bug), await loadBugRow(bug)]).toEqual(before)
    expect(await loadFlagActivity(bug)).toHaveLength(1)
  })

  test('a request that is turned to somebody else: who asked first keeps it', async () => {
    await changeBug(ann, bug, { flags: [ask('open', { requestee: bob.login })] })
    const { name } = types.open
    const turned = ask('open', { requestee: reporter.login })
    expect(await changeBug(bob, bug, { flags: [turned] })).toEqual(
      word(`${name}?(${bob.login})`, `${name}?(${reporter.login})`),
    )
    expect(await loadFlags(bug)).toMatchObject([
      { setter_id: ann.id, requestee_id: reporter.id, status: '?' },
    ])
    // who reported the bug hears of it anyway
    expect(await loadRowsOfBug('bug_cc', bug)).toEqual([{ bug_id: bug, user_id: bob.id }])
  })

  test('several flags of a type, by their IDs, and a new one beside them', async () => {
    const more = { new: true }
    await changeBug(ann, bug, { flags: [set('open', '+'), set('open', '-', more)] })
    const [first, second] = await loadFlags(bug)
    const flags = [{ id: second?.id, status: '+' }, { id: first?.id, status: 'X' }, ask('single')]
    await changeBug(ann, bug, { flags })
    expect(await summarizeFlags(bug)).toEqual([`${types.open.name}+`, `${types.single.name}?`])
    await changeBug(ann, bug, { flags: [{ type_id: types.open.id, status: '?', new: true }] })
    expect(await summarizeFlags(bug)).toHaveLength(3)
  })

  test('flags of types that were switched off, as long as they stand', async () => {
    await changeBug(ann, bug, { flags: [ask('open')] })
    await execute(sql`UPDATE flag_types SET is_active = 0 WHERE id = ${types.open.id}`)
    try {
      await changeBug(ann, bug, { flags: [set('open', '+')] })
      await changeBug(ann, bug, { flags: [set('open', 'X')] })
      await expectRefusal(() => change(ann, ask('open')), 400, 134, types.open.name)
    } finally {
      await execute(sql`UPDATE flag_types SET is_active = 1 WHERE id = ${types.open.id}`)
    }
  })

  test('all bugs of the request, or none', async () => {
    const other = await postBug(reporter, place)
    const { status, body } = await put(ann, `/rest/bug/${bug}`, {
      ids: [other],
      flags: [set('single', '+')],
    })
    expect(status).toBe(200)
    expect(body.bugs.map((one: Body) => one.changes)).toEqual([
      word('', `${types.single.name}+`),
      word('', `${types.single.name}+`),
    ])
    await changeBug(ann, other, { flags: [set('single', 'X')] })
    const both = { ids: [other], flags: [set('single', '-', { new: true })] }
    await expectRefusal(() => put(ann, `/rest/bug/${bug}`, both), 400, 32000, types.single.name)
    expect(await summarizeFlags(other)).toEqual([])
  })
})

describe('who may set what', () => {
  const GRANTED = ['+', '-']
  test.each<[string, string | null, string, 'nobody' | 'requester' | 'granter' | 'setter', number]>(
    [
      ...GRANTED.flatMap((to): [string, null, string, 'requester' | 'granter', number][] => [
        ['none', null, to, 'requester', 130],
        ['none', null, to, 'granter', 200],
      ]),
      ['none', null, '?', 'nobody', 130],
      ['none', null, '?', 'requester', 200],
      ['none', null, '?', 'granter', 200],
      ['none', null, 'X', 'nobody', 200],
      ['?', '?', '?', 'nobody', 200],
      ['?', '?', '+', 'requester', 130],
      ['?', '?', '-', 'granter', 200],
      ['?', '?', 'X', 'nobody', 130],
      ['?', '?', 'X', 'requester', 200],
      ['?', '?', 'X', 'setter', 200],
      ['+', '+', '?', 'requester', 130],
      ['+', '+', '?', 'granter', 200],
      ['+', '+', '-', 'requester', 130],
      ['+', '+', '-', 'granter', 200],
      ['+', '+', '+', 'nobody', 200],
      ['+', '+', 'X', 'requester', 130],
      ['+', '+', 'X', 'granter', 200],
      ['-', '-', '?', 'requester', 130],
      ['-', '-', '+', 'granter', 200],
      ['-', '-', '-', 'nobody', 200],
      ['-', '-', 'X', 'requester', 130],
    ],
  )('from %s (%s) to %s by a %s: %i', async (_, from, to, role, expected) => {
    const people = { nobody: ann, requester, granter, setter: bob }
    if (from !== null) {
      await execute(sql`INSERT INTO flags (bug_id, type_id, status, setter_id, created_at, modified_at)
        VALUES (${bug}, ${types.guarded.id}, ${from}, ${bob.id}, 1, 1)`)
    }
    if (expected !== 200) {
      await expectRefusal(() => change(people[role], set('guarded', to)), 400, expected)
      return
    }
    await changeBug(people[role], bug, { flags: [set('guarded', to)] })
    const [flag] = await loadFlags(bug)
    expect(flag?.status).toBe(to === 'X' ? undefined : to)
    expect(flag?.setter_id).toBe(to === 'X' ? undefined : from === to ? bob.id : people[role].id)
  })

  test('who was asked may withdraw the request too', async () => {
    await changeBug(requester, bug, { flags: [ask('guarded', { requestee: granter.login })] })
    await execute(sql`UPDATE flags SET requestee_id = ${ann.id} WHERE bug_id = ${bug}`)
    await expectRefusal(() => change(reporter, set('guarded', 'X')), 400, 130)
    await changeBug(ann, bug, { flags: [set('guarded', 'X')] })
  })
})

describe('flags are refused', () => {
  const cases: [string, () => Body, number, number][] = [
    ['that nothing names', () => ({ status: '?' }), 400, 50],
    ['of an unknown type', () => ({ name: 'no-such', status: '?' }), 404, 51],
    ['of an unknown type ID', () => ({ type_id: 999_999, status: '?' }), 404, 51],
    [
      'of a type in another case',
      () => ({ ...ask('open'), name: types.open.name.toUpperCase() }),
      404,
      51,
    ],
    ['of a type of other products', () => ask('foreign'), 404, 51],
    [
      'of a type of other products by ID',
      () => ({ type_id: types.foreign.id, status: '?' }),
      404,
      51,
    ],
    ['of a type for attachments', () => ask('paper'), 404, 51],
    ['that ask an unknown person', () => ask('open', { requestee: 'nobody@x.test' }), 404, 51],
    ['with an ID that is none', () => ({ id: 'seven', status: '?' }), 400, 52],
    ['without a status', () => ({ name: types.open.name }), 400, 129],
    ['with an unknown status', () => set('open', 'maybe'), 400, 129],
    ['that nobody can request', () => ask('answer'), 400, 129],
    ['that the caller may not set', () => set('guarded', '+'), 400, 130],
    ['that ask nobody in particular', () => ask('plain', { requestee: bob.login }), 400, 131],
    ['whose name two types have', () => ask('twin'), 400, 133],
    ['of a type that was switched off', () => ask('retired'), 400, 134],
    ['that ask who may not grant', () => ask('guarded', { requestee: bob.login }), 400, 32000],
  ]
  const asker = (flag: Body) =>
    flag.name === types.guarded.name && flag.status === '?' ? requester : ann

  test.each(cases)('%s', async (_, flag, status, code) => {
    await expectRefusal(() => change(asker(flag()), flag()), status, code)
    const body = buildBugBody(place, { flags: [flag()] })
    await expectRefusal(() => post(asker(flag()), '/rest/bug', body), status, code)
  })

  test('of another bug', async () => {
    const other = await postBug(reporter, place, { flags: [set('open', '+')] })
    const [flag] = await loadFlags(other)
    await expectRefusal(() => change(ann, { id: flag?.id, status: '-' }), 404, 51)
  })

  test('of which there are several, without saying which', async () => {
    await changeBug(ann, bug, { flags: [ask('open'), set('open', '+', { new: true })] })
    await expectRefusal(() => change(ann, set('open', '-')), 400, 132, types.open.name)
    const byType = { type_id: types.open.id, status: 'X' }
    await expectRefusal(() => change(ann, byType), 400, 132)
  })

  test('where there is room for one', async () => {
    await changeBug(ann, bug, { flags: [ask('single')] })
    const second = set('single', '+', { new: true })
    await expectRefusal(() => change(ann, second), 400, 32000, types.single.name)
    const two = buildBugBody(place, { flags: [ask('single'), set('single', '+')] })
    await expectRefusal(() => post(ann, '/rest/bug', two), 400, 32000, types.single.name)
  })

  test('when they ask somebody whose account is disabled', async () => {
    const gone = await insertPerson({ loginDeniedText: 'gone' })
    const request = ask('open', { requestee: gone.login })
    await expectRefusal(() => change(ann, request), 400, 32000, gone.login)
  })

  test('together with everything else in the request', async () => {
    const body = {
      whiteboard: '[x]',
      comment: 'No.',
      cc: { add: [bob.login] },
      flags: [ask('twin')],
    }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 400, 133)
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '' })
  })

  test('to anonymous callers, and in products that the caller may not edit', async () => {
    await expectRefusal(() => change(ANYONE, ask('open')), 401, 410)
    const closed = await insertProduct()
    const theirs = await postBug(reporter, closed)
    const team = await insertGroup()
    await execute(sql`INSERT INTO group_controls (product_id, group_id, canedit)
      VALUES (${closed.id}, ${team.id}, 1)`)
    const request = () => put(ann, `/rest/bug/${theirs}`, { flags: [ask('open')] })
    await expectRefusal(request, 401, 109)
  })
})

describe('a new bug', () => {
  test('begins with its flags, told at the moment of its making', async () => {
    const { name } = types.open
    const id = await postBug(ann, place, {
      flags: [ask('open', { requestee: bob.login }), set('single', '+'), set('guarded', 'X')],
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

  test('beside links that change other bugs', async () => {
    const id = await postBug(editor, place, { depends_on: [bug], flags: [ask('open')] })
    expect(await summarizeFlags(id)).toEqual([`${types.open.name}?`])
    expect((await loadRowsOfBug('history', bug)).map(({ field }) => field)).toEqual(['blocks'])
    expect(await told(id)).toEqual([` > ${types.open.name}?`])
  })

  test('keeps nobody on CC twice, and not its reporter', async () => {
    const request = ask('open', { requestee: bob.login })
    const own = ask('single', { requestee: ann.login })
    const id = await postBug(ann, place, { cc: [bob.login], flags: [request, own] })
    expect(await loadRowsOfBug('bug_cc', id)).toEqual([{ bug_id: id, user_id: bob.id }])
  })
})

test('flags of a hundred bugs are changed in two trips, with everything else', async () => {
  const ids = await copyBug(bug, 100)
  const answer = await put(editor, `/rest/bug/${bug}`, {
    ids,
    whiteboard: '[all]',
    cc: { add: [granter.login] },
    flags: [ask('open', { requestee: bob.login }), set('single', '+')],
    comment: { body: 'All of them.' },
  })
  expect(answer).toMatchObject({ status: 200, cost: { trips: 2 } })
  expect(answer.body.bugs).toHaveLength(101)
  const expected = [`${types.open.name}?(${bob.id})`, `${types.single.name}+`]
  expect(await summarizeFlags(ids[0] ?? 0)).toEqual(expected)
  expect(await summarizeFlags(ids.at(-1) ?? 0)).toEqual(expected)
})
