import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, type Answer, expectFault, get } from '../../support/client.ts'
import { buildQuery, readUserIds } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'

const stranger = await insertPerson()
const editor = await insertPerson({ roles: ['editusers'] })
const disabler = await insertPerson({ roles: ['disableusers'] })
const administrator = await insertPerson({ roles: ['admin'] })

describe('GET /user', () => {
  test('finds an account by its ID or login in the path', async () => {
    const { id, login } = await insertPerson()

    for (const path of [`/${id}`, `/${login}`, `/${encodeURIComponent(login.toUpperCase())}`]) {
      expect(await readUserIds(path, stranger)).toEqual([id])
    }
    expect(await readUserIds(`/${login}`, ANYONE)).toEqual([id])
  })

  test('lists the path first, then names, ids and matches, each person once', async () => {
    const mark = uniqueName('order')
    const [a, b, c, d, e] = await insertPeopleNamed(
      `${mark} a`,
      `${mark} b`,
      `${mark} c`,
      `${mark} d`,
      `${mark} e`,
    )
    const rest = `names=${d.login}&names=${b.login.toUpperCase()}&ids=${c.id}&ids=${d.id}&match=${mark}`

    expect(await readUserIds(`?match=${mark}&ids=${c.id}&names=${d.login}`, stranger)).toEqual(
      [d, c, a, b, e].map(({ id }) => id),
    )
    expect(await readUserIds(`/${e.id}?${rest}`, stranger)).toEqual(
      [e, d, b, c, a].map(({ id }) => id),
    )
    expect(await readUserIds(`/${e.login}?${rest}`, stranger)).toEqual(
      [e, d, b, c, a].map(({ id }) => id),
    )
    expect(
      await readUserIds(`/${a.login}?names=${a.login}&ids=${a.id}&match=${a.login}`, stranger),
    ).toEqual([a.id])
  })

  test('reads ids as repeated parameters and as comma lists, and leaves unknown ones out', async () => {
    const [one, two] = [await insertPerson(), await insertPerson()]

    expect(await readUserIds(`?ids=${two.id},99999999,${one.id}&ids=${two.id}`, stranger)).toEqual([
      two.id,
      one.id,
    ])
    expect(await readUserIds('/99999999', stranger)).toEqual([])
    expect(await readUserIds('?ids=999999999999999', stranger)).toEqual([])
  })

  test('is empty for blank lists', async () => {
    for (const parameter of ['ids', 'names', 'match']) {
      expect(await readUserIds(`?${parameter}=`, stranger)).toEqual([])
      expect(await readUserIds(`?${parameter}=%20`, stranger)).toEqual([])
    }
  })

  test('takes a login with commas, stars and other signs as one name', async () => {
    const login = `${uniqueName('odd')},*+"/%_@example.test`
    const { id } = await insertPerson()
    await executeBatch(
      sql`UPDATE users SET login = ${login}, login_fold = ${login} WHERE id = ${id}`,
    )

    expect(await readUserIds(`/${encodeURIComponent(login)}`, ANYONE)).toEqual([id])
    expect(await readUserIds(buildQuery({ names: login }), ANYONE)).toEqual([id])
    expect(await readUserIds(buildQuery({ match: login }), stranger)).toEqual([id])
  })

  test('answers below /rest.cgi and with a slash at the end', async () => {
    const { id, login } = await insertPerson()

    for (const path of [`/rest.cgi/user/${login}/`, `/rest.cgi/user/?names=${login}`]) {
      expect((await get(ANYONE, path)).body.users).toMatchObject([{ id }])
    }
  })
})

describe('GET /user', () => {
  test('lists unknown names beside the known ones when permissive', async () => {
    const { id, login } = await insertPerson()
    const nobody = uniqueName('nobody')
    const { body } = await get(
      ANYONE,
      `/rest/user?names=${nobody}&names=${login}&permissive=1&include_fields=id`,
    )

    expect(body).toEqual({
      users: [{ id }],
      faults: [{ name: nobody, error: true, message: expect.stringContaining(nobody), code: 51 }],
    })
    expect((await get(ANYONE, `/rest/user/${nobody}?permissive=true`)).body).toMatchObject({
      users: [],
      faults: [{ name: nobody, code: 51 }],
    })
  })

  test('has the list of faults only when permissive', async () => {
    const { login } = await insertPerson()

    expect((await get(ANYONE, `/rest/user/${login}`)).body).not.toHaveProperty('faults')
    expect((await get(ANYONE, `/rest/user/${login}?permissive=0`)).body).not.toHaveProperty(
      'faults',
    )
    expect((await get(ANYONE, `/rest/user/${login}?permissive=1`)).body.faults).toEqual([])
  })

  test('lists faults of names alone: unknown IDs and groups refuse the whole call', async () => {
    expectFault(await get(stranger, '/rest/user?ids=0&permissive=1'), 400, 52, 'ids')
    expectFault(await get(ANYONE, '/rest/user?ids=1&permissive=1'), 401, 505)
    expectFault(
      await get(stranger, `/rest/user?names=${uniqueName('no')}&permissive=1&groups=none`),
      400,
      804,
      'none',
    )
  })
})

describe('GET /user', () => {
  test('rejects a question about nobody', async () => {
    for (const path of ['', '?groups=admin', '?group_ids=1&include_disabled=1', '?limit=1']) {
      expectFault(await get(stranger, `/rest/user${path}`), 400, 50, 'ids')
      expectFault(await get(ANYONE, `/rest/user${path}`), 400, 50, 'match')
    }
  })

  test('rejects more match strings, or stars in one, than can be looked for at once', async () => {
    const strings = Array.from({ length: 21 }, (_, i) => `match=x${i}`).join('&')
    expectFault(await get(stranger, `/rest/user?${strings}`), 400, 53, 'match')
    expectFault(await get(stranger, '/rest/user?match=*a*b*c*d*e*'), 400, 53, 'match')
  })

  test('rejects IDs and matches from logged-out callers, before anything else is looked at', async () => {
    for (const path of ['?ids=1', '?match=a', '/1', '/0', '?ids=x', '?match=*&limit=0', '?ids=']) {
      const answer = await get(ANYONE, `/rest/user${path}`)

      expectFault(answer, 401, 505)
      expect(answer.cost.trips).toBe(0)
    }
    expectFault(await get(ANYONE, `/rest/user?names=${stranger.login}&ids=1`), 401, 505)
    expectFault(await get(ANYONE, `/rest/user/${stranger.login}?match=a`), 401, 505)
  })

  test.each([
    ['/0', 'id_or_name'],
    ['/9999999999999999', 'id_or_name'],
    ['?ids=0', 'ids'],
    ['?ids=-1', 'ids'],
    ['?ids=1,two', 'two'],
    ['?ids=1.5', 'ids'],
    ['?ids=1e3', 'ids'],
    ['?match=a&limit=0', 'limit'],
    ['?match=a&limit=-1', 'limit'],
    ['?match=a&limit=many', 'many'],
    ['?match=a&limit=1,2', 'limit'],
    ['?match=a&group_ids=admin', 'group_ids'],
  ])('rejects %s, which is no number above zero', async (path, naming) => {
    expectFault(await get(stranger, `/rest/user${path}`), 400, 52, naming)
  })

  test('rejects a login that nobody has', async () => {
    const nobody = uniqueName('nobody')

    for (const who of [ANYONE, stranger, administrator]) {
      for (const path of [`/${nobody}`, `?names=${stranger.login}&names=${nobody}`]) {
        expectFault(await get(who, `/rest/user${path}`), 404, 51, nobody)
      }
    }
  })

  test('rejects a group ID that nothing has, and every group ID from logged-out callers', async () => {
    const { id } = await insertGroup([stranger])
    const path = `/rest/user/${stranger.login}?group_ids=`

    expectFault(await get(stranger, `${path}99999999`), 404, 51, '99999999')
    expectFault(await get(stranger, `${path}${id},99999999`), 404, 51, '99999999')
    expectFault(await get(ANYONE, `${path}${id}`), 404, 51, String(id))
  })

  test('rejects the name of a group that the caller is not in exactly as one that nothing has', async () => {
    const known = await insertGroup([stranger])
    const secret = await insertGroup([editor])
    const path = `/rest/user/${stranger.login}?groups=`
    const withoutName = ({ status, text }: Answer, name: string) => [
      status,
      text.replaceAll(name, 'NAME'),
    ]
    const missing = uniqueName('missing')

    for (const who of [ANYONE, stranger, disabler]) {
      const refused = await get(who, `${path}${secret.name}&groups=${known.name}`)
      expectFault(refused, 400, 804, secret.name)
      const unknown = await get(who, `${path}${missing}&groups=${known.name}`)
      expect(withoutName(refused, secret.name)).toEqual(withoutName(unknown, missing))
    }
    expectFault(await get(ANYONE, `${path}${known.name}`), 400, 804, known.name)
  })

  test('rejects logins before group IDs, and those before group names', async () => {
    const all = `names=${uniqueName('nobody')}&group_ids=99999999&groups=${uniqueName('missing')}`

    expectFault(await get(stranger, `/rest/user?${all}`), 404, 51, 'nobody')
    expectFault(await get(stranger, `/rest/user?${all}&permissive=1`), 404, 51, '99999999')
    expectFault(await get(stranger, `/rest/user?ids=x&${all}`), 400, 52)
  })

  test('rejects a key that nobody has', async () => {
    expectFault(await get({ key: 'lw0000000000' }, '/rest/user?ids=1'), 400, 306)
  })
})

describe('GET /user', () => {
  test('costs one round trip, whatever the number of people', async () => {
    const made = [await insertPerson(), await insertPerson(), await insertPerson()]
    const many = [
      ...made.map(({ id }) => id),
      ...Array.from({ length: 500 }, (_, i) => 10 ** 6 + i),
    ]
    const names = made.map(({ login }) => `names=${login}`).join('&')
    const path = `/rest/user?ids=${many}&${names}&match=nobody&match=*nobody*&group_ids=1`

    expect((await get(stranger, path)).cost.trips).toBe(1)
    expect((await get(ANYONE, `/rest/user?${names}`)).cost).toMatchObject({
      trips: 1,
      statements: 1,
    })
  })

  test('costs as many rows for one person, or the first few matches, however many people there are', async () => {
    const one = await insertPerson()
    const club = await insertGroup([one])
    const paths = [
      `/rest/user/${one.id}`,
      `/rest/user/${one.login}`,
      `/rest/user?ids=${one.id}&group_ids=${club.id}`,
      `/rest/user?match=*&group_ids=${club.id}`,
      // others may be disabled meanwhile, which would be rows that are passed over
      '/rest/user?match=*&limit=5&include_disabled=1&include_fields=id,name',
    ]
    const readings = async () => {
      const rows: number[] = []
      for (const path of paths) {
        rows.push((await get(one, path)).cost.read)
      }
      return rows
    }
    await addCrowd(2)
    const before = await readings()
    await addCrowd(300)

    expect(Math.min(...before)).toBeGreaterThan(0)
    expect(Math.max(...before)).toBeLessThan(80)
    expect(await readings()).toEqual(before)
  })

  test('costs for a string that few fit, each login and its account once', async () => {
    const none = uniqueName('none')
    const path = `/rest/user?match=${none}&include_fields=id`
    const before = (await get(stranger, path)).cost.read
    expect((await get(stranger, `${path}&match=${none.toUpperCase()}`)).cost.read).toBe(before)
    await addCrowd(100)

    expect((await get(stranger, path)).cost.read - before).toBeLessThanOrEqual(200)
  })
})

/** Other people, members of a group of their own. */
async function addCrowd(size: number): Promise<void> {
  const prefix = uniqueName('crowd')
  const club = await insertGroup()
  const numbers = jsonList(Array.from({ length: size }, (_, i) => i))
  await executeBatch(
    sql`INSERT INTO users (login, login_fold, real_name, real_name_fold, created_at)
      SELECT ${prefix} || value, ${prefix} || value, 'Crowd', 'crowd', 0 FROM ${numbers}`,
    sql`INSERT INTO memberships (user_id, group_id)
      SELECT id, ${club.id} FROM users WHERE instr(login_fold, ${prefix}) = 1`,
  )
}
