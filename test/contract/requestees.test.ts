import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildBugBody, postBug, restrictBug } from '../support/builders/bugs.ts'
import { insertFlagType } from '../support/builders/flags.ts'
import { insertGroup } from '../support/builders/groups.ts'
import { insertPerson } from '../support/builders/people.ts'
import { insertProduct } from '../support/builders/products.ts'
import type { TestGroup, TestPerson } from '../support/builders/types.ts'
import { get, post, put, type Sender } from '../support/client.ts'
import { changeBug } from '../support/clients/bugs.ts'
import { expectRefusal } from '../support/clients/refusals.ts'
import { loadRowsOfBug } from '../support/database/bugs.ts'
import { execute } from '../support/database/execute.ts'
import { loadFlags, summarizeFlags } from '../support/database/flags.ts'

type Body = Record<string, unknown>

let bug: number

const place = await insertProduct()
const reporter = await insertPerson()
const ann = await insertPerson()
const bob = await insertPerson()
const open = await insertFlagType({}, [{ productId: place.id }])

beforeEach(async () => {
  bug = await postBug(reporter, place)
})

const ask = (requestee?: string) => ({ name: open.name, status: '?', requestee })
const change = (who: Sender, ...flags: Body[]) => put(who, `/rest/bug/${bug}`, { flags })

describe('flags hide', () => {
  let secret: TestGroup
  let member: TestPerson

  beforeAll(async () => {
    member = await insertPerson()
    secret = await insertGroup([member])
  })

  beforeEach(() => restrictBug(bug, secret))

  test('on bugs that the caller does not see', async () => {
    await changeBug(member, bug, { flags: [ask()] })
    await expectRefusal(() => change(ann, { name: open.name, status: '+' }), 102)
    const both = { ids: [bug], flags: [{ id: (await loadFlags(bug))[0]?.id, status: '+' }] }
    const own = await postBug(ann, place)
    await expectRefusal(() => put(ann, `/rest/bug/${own}`, both), 102)
  })

  test('the bug from requestees: a flag cannot be requested of somebody who does not see it', async () => {
    const request = ask(bob.login)
    await expectRefusal(() => change(member, request), 32000, bob.login)
    expect(await loadRowsOfBug('bug_cc', bug)).toEqual([])
  })

  test.each<[string, () => Body]>([
    ['comes on its CC list', () => ({ cc: { add: [bob.login] } })],
    ['is given it', () => ({ assigned_to: bob.login })],
    ['becomes its QA contact', () => ({ qa_contact: bob.login })],
    ['sees it without its group', () => ({ groups: { remove: [secret.name] } })],
  ])('nothing from who %s in the same request', async (_, more) => {
    const boss = await insertPerson({ roles: ['editbugs'], groups: [secret] })
    await execute(
      sql`INSERT OR IGNORE INTO group_controls (product_id, group_id, membercontrol)
        VALUES (${place.id}, ${secret.id}, 1)`,
    )
    const flags = [ask(bob.login)]
    const changes = await changeBug(boss, bug, { ...more(), flags })
    expect(changes).toMatchObject({
      'flagtypes.name': { removed: '', added: `${open.name}?(${bob.login})` },
      cc: { removed: '', added: bob.login },
    })
    expect((await get(bob, `/rest/bug/${bug}`)).status).toBe(200)
  })

  test.each<[string, Body]>([
    ['is taken off its CC list', { cc: { remove: ['bob'] } }],
    ['is on a CC list that no longer counts', { is_cc_accessible: false }],
  ])('it from who %s in the same request', async (_, more) => {
    const boss = await insertPerson({ roles: ['editbugs'], groups: [secret] })
    await execute(sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${bug}, ${bob.id})`)
    const body = JSON.parse(JSON.stringify(more).replace('"bob"', JSON.stringify(bob.login)))
    const flags = [ask(bob.login)]
    const request = () => put(boss, `/rest/bug/${bug}`, { ...body, flags })
    await expectRefusal(request, 32000, bob.login)
  })

  test('a new bug from requestees: a flag cannot be requested of somebody who will not see it', async () => {
    const home = await insertProduct({
      controls: [{ group: secret, memberControl: 3, otherControl: 3 }],
    })
    const type = await insertFlagType({}, [{ productId: home.id }])
    const request = (requestee: string) => ({
      flags: [{ name: type.name, status: '?', requestee }],
    })
    const forBob = buildBugBody(home, request(bob.login))
    await expectRefusal(() => post(member, '/rest/bug', forBob), 32000, bob.login)
    const onCc = await postBug(member, home, { ...request(bob.login), cc: [bob.login] })
    expect(await summarizeFlags(onCc)).toEqual([`${type.name}?(${bob.id})`])
    await postBug(member, home, request(member.login))
  })
})

describe('a requestee', () => {
  test('stays on the CC list though the same request takes them off it', async () => {
    await execute(sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${bug}, ${bob.id})`)
    const flags = [ask(bob.login)]
    const changes = await changeBug(bob, bug, { flags, cc: { remove: [bob.login] } })
    expect(Object.keys(changes)).toEqual(['flagtypes.name'])
    expect(await loadRowsOfBug('bug_cc', bug)).toEqual([{ bug_id: bug, user_id: bob.id }])
  })

  test('appears once in the changes of the CC list, beside others who are added', async () => {
    const flags = [ask(bob.login), { ...ask(bob.login), new: true }]
    const changes = await changeBug(ann, bug, { flags, cc: { add: [ann.login, bob.login] } })
    expect(changes.cc).toEqual({
      removed: '',
      added: [ann.login, bob.login].sort().join(', '),
    })
  })
})
