import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, post, put, type Sender } from '../../support/client.ts'
import { changeBug } from '../../support/clients/bugs.ts'
import { expectRefusal } from '../../support/clients/refusals.ts'
import { loadBugRow } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { loadFlags } from '../../support/database/flags.ts'
import { buildFlagUpdateWorld, type FlagUpdateWorld } from '../../support/worlds/flag-updates.ts'

type Body = Record<string, unknown>

/** So long ago that a change visibly moves the time of the bug. */
const LONG_AGO = NOW - 1_000_000

let place: TestProduct
let reporter: TestPerson
let ann: TestPerson
let bob: TestPerson
let granter: TestPerson
let requester: TestPerson
let editor: TestPerson
let types: FlagUpdateWorld['types']
let bug: number

beforeAll(async () => {
  ;({ place, reporter, ann, bob, granter, requester, editor, types } = await buildFlagUpdateWorld())
})

beforeEach(async () => {
  bug = await postBug(reporter, place)
  await updateBugRow(bug, { created_at: LONG_AGO, changed_at: LONG_AGO })
})

type TypeName = keyof typeof types

const requestOf = (type: TypeName, more: Body = {}) => ({
  name: types[type].name,
  status: '?',
  ...more,
})
const flagOf = (type: TypeName, status: string, more: Body = {}) => ({
  name: types[type].name,
  status,
  ...more,
})
const updateFlags = (who: Sender, ...flags: Body[]) => put(who, `/rest/bug/${bug}`, { flags })

describe('the right to set a flag', () => {
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
      await expectRefusal(() => updateFlags(people[role], flagOf('guarded', to)), 400, expected)
      return
    }
    await changeBug(people[role], bug, { flags: [flagOf('guarded', to)] })
    const [flag] = await loadFlags(bug)
    expect(flag?.status).toBe(to === 'X' ? undefined : to)
    expect(flag?.setter_id).toBe(to === 'X' ? undefined : from === to ? bob.id : people[role].id)
  })

  test('lets the requestee withdraw the request', async () => {
    await changeBug(requester, bug, { flags: [requestOf('guarded', { requestee: granter.login })] })
    await execute(sql`UPDATE flags SET requestee_id = ${ann.id} WHERE bug_id = ${bug}`)
    await expectRefusal(() => updateFlags(reporter, flagOf('guarded', 'X')), 400, 130)
    await changeBug(ann, bug, { flags: [flagOf('guarded', 'X')] })
  })
})

describe('PUT /bug and POST /bug with a wrong flag', () => {
  const cases: [string, () => Body, number, number][] = [
    ['a flag without a name or an ID', () => ({ status: '?' }), 400, 50],
    ['a flag of an unknown type', () => ({ name: 'no-such', status: '?' }), 404, 51],
    ['a flag of an unknown type ID', () => ({ type_id: 999_999, status: '?' }), 404, 51],
    [
      'a flag of a type in another case',
      () => ({ ...requestOf('open'), name: types.open.name.toUpperCase() }),
      404,
      51,
    ],
    ['a flag of a type of other products', () => requestOf('foreign'), 404, 51],
    [
      'a flag of a type of other products by its ID',
      () => ({ type_id: types.foreign.id, status: '?' }),
      404,
      51,
    ],
    ['a flag of a type for attachments', () => requestOf('forAttachments'), 404, 51],
    [
      'a flag with an unknown requestee',
      () => requestOf('open', { requestee: 'nobody@x.test' }),
      404,
      51,
    ],
    ['a flag with a malformed ID', () => ({ id: 'seven', status: '?' }), 400, 52],
    ['a flag without a status', () => ({ name: types.open.name }), 400, 129],
    ['a flag with an unknown status', () => flagOf('open', 'maybe'), 400, 129],
    ['a request for a type that cannot be requested', () => requestOf('answer'), 400, 129],
    ['a flag that the caller may not set', () => flagOf('guarded', '+'), 400, 130],
    [
      'a requestee for a type that has none',
      () => requestOf('withoutRequestee', { requestee: bob.login }),
      400,
      131,
    ],
    ['a name that two types have', () => requestOf('ambiguous'), 400, 133],
    ['a flag of an inactive type', () => requestOf('inactive'), 400, 134],
    [
      'a requestee who may not grant the flag',
      () => requestOf('guarded', { requestee: bob.login }),
      400,
      32000,
    ],
  ]
  const senderOf = (flag: Body) =>
    flag.name === types.guarded.name && flag.status === '?' ? requester : ann

  test.each(cases)('rejects %s', async (_, flag, status, code) => {
    await expectRefusal(() => updateFlags(senderOf(flag()), flag()), status, code)
    const body = buildBugBody(place, { flags: [flag()] })
    await expectRefusal(() => post(senderOf(flag()), '/rest/bug', body), status, code)
  })

  test('rejects a flag of another bug with 51', async () => {
    const other = await postBug(reporter, place, { flags: [flagOf('open', '+')] })
    const [flag] = await loadFlags(other)
    await expectRefusal(() => updateFlags(ann, { id: flag?.id, status: '-' }), 404, 51)
  })

  test('rejects an ambiguous change of several flags of a type with 132', async () => {
    await changeBug(ann, bug, { flags: [requestOf('open'), flagOf('open', '+', { new: true })] })
    await expectRefusal(() => updateFlags(ann, flagOf('open', '-')), 400, 132, types.open.name)
    const byType = { type_id: types.open.id, status: 'X' }
    await expectRefusal(() => updateFlags(ann, byType), 400, 132)
  })

  test('rejects a second flag of a type that is not multiplicable with 32000', async () => {
    await changeBug(ann, bug, { flags: [requestOf('single')] })
    const second = flagOf('single', '+', { new: true })
    await expectRefusal(() => updateFlags(ann, second), 400, 32000, types.single.name)
    const two = buildBugBody(place, { flags: [requestOf('single'), flagOf('single', '+')] })
    await expectRefusal(() => post(ann, '/rest/bug', two), 400, 32000, types.single.name)
  })

  test('rejects a requestee whose account is disabled with 32000', async () => {
    const gone = await insertPerson({ loginDeniedText: 'gone' })
    const request = requestOf('open', { requestee: gone.login })
    await expectRefusal(() => updateFlags(ann, request), 400, 32000, gone.login)
  })

  test('rejects everything else in the request together with a wrong flag', async () => {
    const body = {
      whiteboard: '[x]',
      comment: 'No.',
      cc: { add: [bob.login] },
      flags: [requestOf('ambiguous')],
    }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 400, 133)
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '' })
  })

  test('rejects anonymous callers with 410, and products that the caller may not edit with 109', async () => {
    await expectRefusal(() => updateFlags(ANYONE, requestOf('open')), 401, 410)
    const closed = await insertProduct()
    const theirs = await postBug(reporter, closed)
    const team = await insertGroup()
    await execute(sql`INSERT INTO group_controls (product_id, group_id, canedit)
      VALUES (${closed.id}, ${team.id}, 1)`)
    const request = () => put(ann, `/rest/bug/${theirs}`, { flags: [requestOf('open')] })
    await expectRefusal(request, 401, 109)
  })
})
