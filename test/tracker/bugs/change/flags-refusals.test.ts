import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { NOW } from '../../../support/builders/unique.ts'
import { ANYONE, post, put, type Sender } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { loadBugRow } from '../../../support/database/bugs.ts'
import { execute } from '../../../support/database/execute.ts'
import { loadFlags } from '../../../support/database/flags.ts'
import { buildFlagUpdateWorld } from '../../../support/worlds/flag-updates.ts'

type Body = Record<string, unknown>

/** So long ago that a change visibly moves the time of the bug. */
const LONG_AGO = NOW - 1_000_000

let bug: number

const { place, reporter, ann, bob, granter, requester, editor, types } =
  await buildFlagUpdateWorld()

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

describe('the right to set a flag', () => {
  test.each<{
    from: 'none' | '?' | '+' | '-'
    to: string
    by: 'nobody' | 'requester' | 'granter' | 'setter'
    expected: number
  }>([
    { from: 'none', to: '+', by: 'requester', expected: 130 },
    { from: 'none', to: '+', by: 'granter', expected: 200 },
    { from: 'none', to: '-', by: 'requester', expected: 130 },
    { from: 'none', to: '-', by: 'granter', expected: 200 },
    { from: 'none', to: '?', by: 'nobody', expected: 130 },
    { from: 'none', to: '?', by: 'requester', expected: 200 },
    { from: 'none', to: '?', by: 'granter', expected: 200 },
    { from: 'none', to: 'X', by: 'nobody', expected: 200 },
    { from: '?', to: '?', by: 'nobody', expected: 200 },
    { from: '?', to: '+', by: 'requester', expected: 130 },
    { from: '?', to: '-', by: 'granter', expected: 200 },
    { from: '?', to: 'X', by: 'nobody', expected: 130 },
    { from: '?', to: 'X', by: 'requester', expected: 200 },
    { from: '?', to: 'X', by: 'setter', expected: 200 },
    { from: '+', to: '?', by: 'requester', expected: 130 },
    { from: '+', to: '?', by: 'granter', expected: 200 },
    { from: '+', to: '-', by: 'requester', expected: 130 },
    { from: '+', to: '-', by: 'granter', expected: 200 },
    { from: '+', to: '+', by: 'nobody', expected: 200 },
    { from: '+', to: 'X', by: 'requester', expected: 130 },
    { from: '+', to: 'X', by: 'granter', expected: 200 },
    { from: '-', to: '?', by: 'requester', expected: 130 },
    { from: '-', to: '+', by: 'granter', expected: 200 },
    { from: '-', to: '-', by: 'nobody', expected: 200 },
    { from: '-', to: 'X', by: 'requester', expected: 130 },
  ])('from $from to $to answers $expected to the $by', async ({ from, to, by, expected }) => {
    const people = { nobody: ann, requester, granter, setter: bob }
    if (from !== 'none') {
      await execute(sql`INSERT INTO flags (bug_id, type_id, status, setter_id, created_at, modified_at)
        VALUES (${bug}, ${types.guarded.id}, ${from}, ${bob.id}, 1, 1)`)
    }
    if (expected !== 200) {
      await expectRefusal(() => updateFlags(people[by], flagOf('guarded', to)), expected)
      return
    }
    await changeBug(people[by], bug, { flags: [flagOf('guarded', to)] })
    const [flag] = await loadFlags(bug)
    expect(flag?.status).toBe(to === 'X' ? undefined : to)
    expect(flag?.setter_id).toBe(to === 'X' ? undefined : from === to ? bob.id : people[by].id)
  })

  test('lets the requestee withdraw the request', async () => {
    await changeBug(requester, bug, { flags: [requestOf('guarded', { requestee: granter.login })] })
    await execute(sql`UPDATE flags SET requestee_id = ${ann.id} WHERE bug_id = ${bug}`)
    await expectRefusal(() => updateFlags(reporter, flagOf('guarded', 'X')), 130)
    await changeBug(ann, bug, { flags: [flagOf('guarded', 'X')] })
  })
})

describe('PUT /bug and POST /bug with a wrong flag', () => {
  const cases: [string, number, () => Body][] = [
    ['a flag without a name or an ID', 50, () => ({ status: '?' })],
    ['a flag of an unknown type', 51, () => ({ name: 'no-such', status: '?' })],
    ['a flag of an unknown type ID', 51, () => ({ type_id: 999_999, status: '?' })],
    [
      'a flag of a type in another case',
      51,
      () => ({ ...requestOf('open'), name: types.open.name.toUpperCase() }),
    ],
    ['a flag of a type of other products', 51, () => requestOf('foreign')],
    [
      'a flag of a type of other products by its ID',
      51,
      () => ({ type_id: types.foreign.id, status: '?' }),
    ],
    ['a flag of a type for attachments', 51, () => requestOf('forAttachments')],
    [
      'a flag with an unknown requestee',
      51,
      () => requestOf('open', { requestee: 'nobody@x.test' }),
    ],
    ['a flag with a malformed ID', 52, () => ({ id: 'seven', status: '?' })],
    ['a flag without a status', 129, () => ({ name: types.open.name })],
    ['a flag with an unknown status', 129, () => flagOf('open', 'maybe')],
    ['a request for a type that cannot be requested', 129, () => requestOf('answer')],
    ['a flag that the caller may not set', 130, () => flagOf('guarded', '+')],
    [
      'a requestee for a type that has none',
      131,
      () => requestOf('withoutRequestee', { requestee: bob.login }),
    ],
    ['a name that two types have', 133, () => requestOf('ambiguous')],
    ['a flag of an inactive type', 134, () => requestOf('inactive')],
    [
      'a requestee who may not grant the flag',
      32000,
      () => requestOf('guarded', { requestee: bob.login }),
    ],
  ]
  const senderOf = (flag: Body) =>
    flag.name === types.guarded.name && flag.status === '?' ? requester : ann

  test.each(cases)('rejects %s with %i', async (_, code, flag) => {
    await expectRefusal(() => updateFlags(senderOf(flag()), flag()), code)
    const body = buildBugBody(place, { flags: [flag()] })
    await expectRefusal(() => post(senderOf(flag()), '/rest/bug', body), code)
  })

  test('rejects a flag of another bug with 51', async () => {
    const other = await postBug(reporter, place, { flags: [flagOf('open', '+')] })
    const [flag] = await loadFlags(other)
    await expectRefusal(() => updateFlags(ann, { id: flag?.id, status: '-' }), 51)
  })

  test('rejects an ambiguous change of several flags of a type with 132', async () => {
    await changeBug(ann, bug, { flags: [requestOf('open'), flagOf('open', '+', { new: true })] })
    await expectRefusal(() => updateFlags(ann, flagOf('open', '-')), 132, types.open.name)
    const byType = { type_id: types.open.id, status: 'X' }
    await expectRefusal(() => updateFlags(ann, byType), 132)
  })

  test('rejects a second flag of a type that is not multiplicable with 32000', async () => {
    await changeBug(ann, bug, { flags: [requestOf('single')] })
    const second = flagOf('single', '+', { new: true })
    await expectRefusal(() => updateFlags(ann, second), 32000, types.single.name)
    const two = buildBugBody(place, { flags: [requestOf('single'), flagOf('single', '+')] })
    await expectRefusal(() => post(ann, '/rest/bug', two), 32000, types.single.name)
  })

  test('rejects a requestee whose account is disabled with 32000', async () => {
    const gone = await insertPerson({ loginDeniedText: 'gone' })
    const request = requestOf('open', { requestee: gone.login })
    await expectRefusal(() => updateFlags(ann, request), 32000, gone.login)
  })

  test('rejects everything else in the request together with a wrong flag', async () => {
    const body = {
      whiteboard: '[x]',
      comment: 'No.',
      cc: { add: [bob.login] },
      flags: [requestOf('ambiguous')],
    }
    await expectRefusal(() => put(editor, `/rest/bug/${bug}`, body), 133)
    expect(await loadBugRow(bug)).toMatchObject({ whiteboard: '' })
  })

  test('rejects anonymous callers with 410, and products that the caller may not edit with 109', async () => {
    await expectRefusal(() => updateFlags(ANYONE, requestOf('open')), 410)
    const controls = [{ group: await insertGroup(), canEdit: true }]
    const theirs = await postBug(reporter, await insertProduct({ controls }))
    const request = () => put(ann, `/rest/bug/${theirs}`, { flags: [requestOf('open')] })
    await expectRefusal(request, 109)
  })
})
