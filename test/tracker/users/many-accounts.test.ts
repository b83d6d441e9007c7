import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { expectFault, get } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'

const ACCOUNTS = 6000
/** Each is looked for in the rest of every login and real name. */
const SLOW = Array.from({ length: 20 }, (_, n) => `*r*o*w*z${n}*`)

let caller: TestPerson

beforeAll(async () => {
  caller = await insertPerson()
  const login = sql`printf('crowd%05d@a.test', value)`
  const numbers = jsonList(Array.from({ length: ACCOUNTS }, (_, n) => n))
  await executeBatch(
    sql`INSERT INTO users (login, login_fold, real_name, real_name_fold, created_at)
      SELECT ${login}, ${login}, 'One of a crowd', 'one of a crowd', 0 FROM ${numbers}`,
  )
})

describe('a match string in a tracker of many accounts', () => {
  test('is refused with 53 when looking for it would take too long', async () => {
    const answer = await get(caller, `/rest/user?${asQuery(SLOW)}`)

    expectFault(answer, 400, 53, 'ask for fewer strings or stars at once')
    expect(answer.cost.trips).toBeLessThanOrEqual(10)
    expect((await get(caller, `/rest/user?${asQuery(SLOW.slice(0, 8))}`)).body.users).toEqual([])
  })

  test('finds those behind thousands of others, in their order, beside strings that take long', async () => {
    const path = `/rest/user?${asQuery([...SLOW.slice(0, 8), 'crowd0580'])}&limit=5`
    const { body, cost } = await get(caller, `${path}&offset=2`)

    expect(body.users.map(({ name }: { name: string }) => name)).toEqual(
      [2, 3, 4, 5, 6].map((n) => `crowd0580${n}@a.test`),
    )
    expect(cost.trips).toBeGreaterThan(1)
  })

  test('ends with those that were asked for', async () => {
    const { body, cost } = await get(caller, '/rest/user?match=crowd*&limit=3&include_fields=id')

    expect(body.users).toHaveLength(3)
    expect(cost).toMatchObject({ trips: 1 })
    expect(cost.read).toBeLessThan(100)
  })

  test('is looked for among the members of a small group alone', async () => {
    const member = await insertPerson()
    const { id } = await insertGroup([member])
    const { body, cost } = await get(
      caller,
      `/rest/user?${asQuery(['*', ...SLOW.slice(1)])}&group_ids=${id}&include_fields=id`,
    )

    expect(body.users).toEqual([{ id: member.id }])
    expect(cost.trips).toBe(1)
    expect(cost.read).toBeLessThan(1000)
  })

  test('shows the first members of a large group without a look at all of them', async () => {
    const { id } = await insertGroupOfCrowd()
    const { body, cost } = await get(
      caller,
      `/rest/user?match=*&limit=3&group_ids=${id}&include_fields=name`,
    )

    expect(body.users).toEqual([0, 1, 2].map((n) => ({ name: `crowd0000${n}@a.test` })))
    // whether the group is small is counted three times, up to 5,000 members
    expect(cost.read).toBeLessThan(16_000)
  })

  test('tells nothing of a hidden group by the time that its members would take', async () => {
    const hidden = await insertGroupOfCrowd()
    for (const name of [hidden.name, uniqueName('missing')]) {
      const answer = await get(caller, `/rest/user?${asQuery(SLOW)}&groups=${name}`)

      expectFault(answer, 400, 804, name)
      expect(answer.cost.trips).toBe(1)
      expect(answer.cost.read).toBeLessThan(1000)
    }
    const member = await insertPerson({ groups: [hidden] })
    const path = `/rest/user?${asQuery(SLOW)}&groups=${hidden.name}`
    expectFault(await get(member, path), 400, 53)
  })

  test('that is longer than any name finds nobody, and is not looked for', async () => {
    const long = 'crowd'.repeat(500)
    for (const path of [
      `/user?match=${long}`,
      `/user?match=${long}*`,
      `/user/suggest?match=${long}`,
    ]) {
      const { body, cost } = await get(caller, `/rest${path}`)

      expect(body.users).toEqual([])
      expect(cost.read).toBeLessThan(100)
    }
  })

  test('passes over at most 10,000 accounts, those of all strings together', async () => {
    await get(caller, '/rest/user?match=a&match=b&offset=5000').then(({ status }) =>
      expect(status).toBe(200),
    )
    expectFault(await get(caller, '/rest/user?match=a&match=b&offset=5001'), 400, 53)
  })

  test.each([
    ['crowd*', 'One of a crowd'],
    ['crowd*', 'CROWD*', 'One of a crowd'],
  ])('of %s leads to further pages as far as they are answered', async (...matches) => {
    const path = `/rest/user?${asQuery(matches)}&include_fields=id&limit=10`
    const linkAt = async (offset: number) =>
      (await get(caller, `${path}&offset=${offset}`)).headers.get('link')

    expect(await linkAt(4990)).toContain('offset=5000>; rel="next"')
    expect(await linkAt(5000)).toBeNull()
  })
})

async function insertGroupOfCrowd() {
  const group = await insertGroup()
  await executeBatch(
    sql`INSERT INTO memberships (user_id, group_id)
      SELECT id, ${group.id} FROM users WHERE login_fold LIKE 'crowd%'`,
  )
  return group
}

function asQuery(matches: readonly string[]): string {
  return matches.map((match) => `match=${encodeURIComponent(match)}`).join('&')
}
