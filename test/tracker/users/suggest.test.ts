import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, type Sender } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

async function suggest(sender: Sender, query: string) {
  const answer = await get(sender, `/rest/user/suggest?${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users
}

describe('GET /user/suggest', () => {
  test('finds people whose login or name contains the text, by login, as detail objects', async () => {
    const mark = uniqueName('suggest')
    const [one, two] = await insertPeopleNamed(`${mark} One`, `Two ${mark.toUpperCase()}`)
    const caller = await insertPerson()

    expect((await suggest(caller, `match=${mark}`)).map(({ id }: { id: number }) => id)).toEqual([
      one.id,
      two.id,
    ])
    expect(await suggest(caller, `match=${mark}%20one`)).toEqual([
      {
        ...{ id: one.id, name: one.login, email: one.login },
        ...{ real_name: `${mark} One`, nick: expect.any(String) },
      },
    ])
    expect(await suggest(caller, `match=${one.login}`)).toMatchObject([{ id: one.id }])
  })

  test('finds as many as the limit says, and ignores stars around the text', async () => {
    const mark = uniqueName('limit')
    await insertPeopleNamed(`${mark} a`, `${mark} b`, `${mark} c`)
    const caller = await insertPerson()

    expect(await suggest(caller, `match=${mark}&limit=2`)).toHaveLength(2)
    expect(await suggest(caller, `match=*${mark}*&limit=0`)).toHaveLength(3)
    expectFault(await get(caller, '/rest/user/suggest?match=x&limit=-1'), 400, 52, 'limit')
  })

  test('answers the fields that are asked for', async () => {
    const caller = await insertPerson()
    const query = `match=${caller.login}&include_fields=name,nick&exclude_fields=nick`
    expect(await suggest(caller, query)).toEqual([{ name: caller.login }])
  })

  test('leaves disabled accounts out, even under their whole login', async () => {
    const { id, login } = await insertPerson()
    await execute(sql`UPDATE users SET login_denied_text = 'gone' WHERE id = ${id}`)
    expect(await suggest(await insertPerson(), `match=${login}`)).toEqual([])
  })

  test('hides people from who does not see them', async () => {
    const { login } = await insertPerson()
    const caller = await insertPerson()
    const answer = await fetchWith(
      { USE_VISIBILITY_GROUPS: 'true' },
      `/rest/user/suggest?match=${login}`,
      { headers: { 'x-tracker-api-key': caller.key } },
    )
    expect(await answer.json()).toEqual({ users: [] })
  })

  test('is refused with 410 without a login, and with 50 without a text', async () => {
    expectFault(await get(ANYONE, '/rest/user/suggest?match=x'), 401, 410)
    const caller = await insertPerson()
    for (const query of ['', 'match=', 'match=%20*']) {
      expectFault(await get(caller, `/rest/user/suggest?${query}`), 400, 50, 'match')
    }
  })
})
