import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  membersInSteps,
  PAIRS_OF_STEP,
  takeMembershipSteps,
} from '../../../src/platform/access/membership-steps.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { expectFault, post, put, send } from '../../support/client.ts'
import { countRows, executeBatch } from '../../support/database/execute.ts'
import { onPrimary } from '../../support/database/statements.ts'

/** More than two steps. */
const MANY = 2 * PAIRS_OF_STEP + 100
const mark = uniqueName('crowd').toLowerCase()
const administrator = await insertPerson({ roles: ['admin'] })

beforeAll(async () => {
  await executeBatch(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MANY})
    INSERT INTO users (login, login_fold, created_at) SELECT ${mark} || i, ${mark} || i, 1 FROM n`)
})

afterAll(async () => {
  const crowd = sql`SELECT id FROM users WHERE substr(login_fold, 1, ${mark.length}) = ${mark}`
  await executeBatch(
    sql`DELETE FROM memberships WHERE user_id IN (${crowd})`,
    sql`DELETE FROM group_members WHERE user_id IN (${crowd})`,
    sql`DELETE FROM users WHERE id IN (${crowd})`,
  )
})

function countMembers({ id }: TestGroup): Promise<number> {
  return countRows('memberships', sql`group_id = ${id}`)
}

function countNoted(): Promise<number> {
  return countRows('membership_steps')
}

function statementsOf({ headers }: { headers: Headers }): number {
  return Number(/(\d+) statements/.exec(headers.get('server-timing') ?? '')?.[1])
}

describe('more members than one commit computes', () => {
  test('have joined and left when a change of the pattern is answered', async () => {
    const [its, outer] = [await insertGroup(), await insertGroup()]
    await executeBatch(grantStatement(its, 'membership', outer))
    const set = (user_regexp: string) =>
      put(administrator, `/rest/group/${its.id}`, { user_regexp })
    expect((await set(`^${mark}`)).status).toBe(200)
    expect([await countMembers(its), await countMembers(outer)]).toEqual([MANY, MANY])
    expect((await set(`^${mark}7$`)).status).toBe(200)
    expect([await countMembers(its), await countMembers(outer)]).toEqual([1, 1])
    expect((await set('')).status).toBe(200)
    expect([await countMembers(its), await countMembers(outer)]).toEqual([0, 0])
    expect(await countNoted()).toBe(0)
  })

  test('have joined when the creation of the group is answered', async () => {
    const name = uniqueName('new')
    const body = { name, description: name, user_regexp: `^${mark}` }
    const { id } = (await post(administrator, '/rest/group', body)).body
    expect(await countRows('group_members', sql`group_id = ${id}`)).toBe(MANY)
    await put(administrator, `/rest/group/${id}`, { user_regexp: '' })
  })

  test('have joined and left when a change of grants is answered', async () => {
    const [its, outer] = [await insertGroup(), await insertGroup()]
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: `^${mark}` })
    const change = (edit: object) =>
      put(administrator, `/rest/group/${outer.id}/grants`, { members_from: edit })
    const few = await change({ add: [(await insertGroup()).id] })
    const many = await change({ add: [its.id] })
    expect(await countMembers(outer)).toBe(MANY)
    expect(statementsOf(many)).toBeGreaterThan(statementsOf(few) + 2)
    await change({ set: [] })
    expect(await countMembers(outer)).toBe(0)
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: '' })
  })

  test('are computed by whoever comes next where the steps of a change stopped', async () => {
    const its = await insertGroup()
    await executeBatch(
      sql`UPDATE access_groups SET user_regexp = ${`^${mark}`} WHERE id = ${its.id}`,
      ...membersInSteps([its.id]).statements,
    )
    await takeMembershipSteps(onPrimary())
    expect([await countMembers(its), await countNoted()]).toEqual([MANY, 0])
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: '' })
  })

  test('are computed once, whoever takes the steps at the same time', async () => {
    const [its, other] = [await insertGroup(), await insertGroup()]
    await executeBatch(
      sql`UPDATE access_groups SET user_regexp = ${`^${mark}`} WHERE id IN (${its.id}, ${other.id})`,
      ...membersInSteps([its.id, other.id]).statements,
    )
    await Promise.all([1, 2, 3].map(() => takeMembershipSteps(onPrimary())))
    expect([await countMembers(its), await countMembers(other)]).toEqual([MANY, MANY])
    expect(await countNoted()).toBe(0)
    await put(administrator, `/rest/group/${its.id}`, { ids: [other.id], user_regexp: '' })
    expect([await countMembers(its), await countMembers(other)]).toEqual([0, 0])
  })

  test('follow the newest pattern, which begins anew with the first account', async () => {
    const its = await insertGroup()
    await executeBatch(
      sql`UPDATE access_groups SET user_regexp = ${`^${mark}`} WHERE id = ${its.id}`,
      sql`INSERT INTO membership_steps (group_id, after_id) SELECT ${its.id}, max(id) - 10 FROM users`,
    )
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: `^${mark}[12]$` })
    expect([await countMembers(its), await countNoted()]).toEqual([2, 0])
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: '' })
  })
})

describe('a change of many members', () => {
  test('is answered although its steps fail, and whoever comes next computes the rest', async () => {
    const its = await insertGroup()
    await executeBatch(
      sql`CREATE TRIGGER broken_steps BEFORE UPDATE ON membership_steps BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    )
    const answer = await put(administrator, `/rest/group/${its.id}`, { user_regexp: `^${mark}` })
    await executeBatch(sql`DROP TRIGGER broken_steps`)
    expect(answer.status).toBe(200)
    expect([await countMembers(its), await countNoted()]).toEqual([0, 1])
    await takeMembershipSteps(onPrimary())
    expect([await countMembers(its), await countNoted()]).toEqual([MANY, 0])
    await put(administrator, `/rest/group/${its.id}`, { user_regexp: '' })
  })

  test('is the same request under its key although nothing followed its commit', async () => {
    const name = uniqueName('new')
    const create = () =>
      send(
        administrator,
        'POST',
        '/rest/group',
        { name, description: name, user_regexp: `^${mark}` },
        { 'idempotency-key': name },
      )
    await executeBatch(
      sql`CREATE TRIGGER broken_steps BEFORE UPDATE ON membership_steps BEGIN SELECT RAISE(ABORT, 'broken'); END`,
      sql`CREATE TRIGGER broken_answers BEFORE UPDATE ON idempotency_keys WHEN substr(NEW.answer, 1, 3) = 'v1.'
        BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    )
    const first = await create()
    const again = await create()
    await executeBatch(sql`DROP TRIGGER broken_steps`, sql`DROP TRIGGER broken_answers`)
    expect(again).toMatchObject({ status: first.status, body: first.body })
    await put(administrator, `/rest/group/${name}`, { user_regexp: '' })
    expect(await countNoted()).toBe(0)
  })

  test('takes no more steps because many other groups have come further', async () => {
    const [its, ...others] = await Promise.all(Array.from({ length: 41 }, () => insertGroup()))
    await executeBatch(
      sql`UPDATE access_groups SET user_regexp = ${`^${mark}`} WHERE id = ${its?.id}`,
      ...membersInSteps([its, ...others].flatMap((one) => one?.id ?? [])).statements,
      sql`UPDATE membership_steps SET after_id = (SELECT max(id) FROM users) WHERE group_id <> ${its?.id}`,
    )
    const session = onPrimary()
    await takeMembershipSteps(session)
    expect(await countNoted()).toBe(0)
    expect(session.session.cost.trips).toBeLessThan(20)
    await put(administrator, `/rest/group/${its?.id}`, { user_regexp: '' })
  })
})

describe('PUT /group', () => {
  test('refuses a pattern for more groups than the steps of one request compute, with 53', async () => {
    const groups = await Promise.all(Array.from({ length: 60 }, () => insertGroup()))
    const body = { ids: groups.map(({ id }) => id), user_regexp: `^${mark}` }
    const path = `/rest/group/${groups[0]?.id}`
    expectFault(await put(administrator, path, body), 400, 53, "'user_regexp'")
    expect(await countNoted()).toBe(0)
    expect(await countRows('access_groups', sql`user_regexp = ${`^${mark}`}`)).toBe(0)
  })

  test('refuses a pattern beside a thousand others with 53, and changes those', async () => {
    const many = uniqueName('many')
    const its = await insertGroup()
    await executeBatch(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO access_groups (name, name_fold, description, user_regexp, created_at)
      SELECT ${many} || i, ${many} || i, '', 'nobody', 1 FROM n`)
    const body = { user_regexp: 'nobody at all' }
    expectFault(await put(administrator, `/rest/group/${its.id}`, body), 400, 53, "'user_regexp'")
    const created = { ...body, name: uniqueName('new'), description: 'x' }
    expectFault(await post(administrator, '/rest/group', created), 400, 53, "'user_regexp'")
    expect((await put(administrator, `/rest/group/${many}7`, body)).status).toBe(200)
    await executeBatch(
      sql`DELETE FROM access_groups WHERE substr(name, 1, ${many.length}) = ${many}`,
    )
  })
})
