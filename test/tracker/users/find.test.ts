import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPeopleNamed, insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get } from '../../support/client.ts'
import { buildQuery, readUserIds, readUsersWith } from '../../support/clients/users.ts'
import { executeBatch } from '../../support/database/execute.ts'

const stranger = await insertPerson()
const administrator = await insertPerson({ roles: ['admin'] })

describe('answers matches', () => {
  /** Real names after one unique mark, and which of them a string finds. */
  const NAMES = ['Ada Lovelace', 'Ada Byron', 'Grace Hopper', 'Lace Maker', 'Ämilie Noether']
  const mark = uniqueName('set')
  beforeAll(async () => {
    await insertPeopleNamed(...NAMES.map((name) => `${mark} ${name}`))
  })

  test.each([
    // anywhere in the login or the real name
    [`${mark} ada`, ['Ada Byron', 'Ada Lovelace']],
    [`${mark.toUpperCase()}.GRACE`, ['Grace Hopper']],
    [`  ${mark} ada b `, ['Ada Byron']],
    [`${mark} ä`, ['Ämilie Noether']],
    [`${mark} A\u0308MILIE`, ['Ämilie Noether']],
    [`${mark} _da`, []],
    [`${mark}%`, []],
    // patterns with stars, which must match the whole login or the whole name
    [`${mark}*`, ['Ada Byron', 'Ada Lovelace', 'Grace Hopper', 'Lace Maker', 'Ämilie Noether']],
    [`${mark}*lace`, ['Ada Lovelace']],
    [`${mark}*lace*`, ['Ada Lovelace', 'Lace Maker']],
    [`${mark}*ada*byron`, ['Ada Byron']],
    [`${mark}*a*a*e`, ['Ada Lovelace']],
    [`${mark} ada lovelace*`, ['Ada Lovelace']],
    [`${mark}***Grace**`, ['Grace Hopper']],
    [`${mark}.grace*.test`, ['Grace Hopper']],
    [`${mark}*byron*ada*`, []],
    [`${mark}*ace hopper*hopper`, []],
    [`${mark} lace makerr*`, []],
    [`*${mark}`, []],
    [`?${mark}*`, []],
    [`[${mark[0]}]*${mark.slice(1)}*`, []],
  ])('for %s', async (match, expected) => {
    const { body } = await get(stranger, `/rest/user${buildQuery({ match })}`)

    expect(body.users.map((user: { real_name: string }) => user.real_name)).toEqual(
      expected.map((name) => `${mark} ${name}`),
    )
  })

  test('for patterns far longer than the database compares by itself', async () => {
    const long = uniqueName('long').repeat(12)
    const [one] = await insertPeopleNamed(`${long} end`)

    expect(await readUserIds(buildQuery({ match: `${long}*end` }), stranger)).toEqual([one?.id])
    expect(await readUserIds(buildQuery({ match: `${long} e` }), stranger)).toEqual([one?.id])
  })

  test('for strings of one or two characters', async () => {
    const sign = String.fromCodePoint(
      0x4e00 + ((crypto.getRandomValues(new Uint16Array(1))[0] ?? 0) % 20000),
    )
    const { id } = await insertPerson({ realName: `${sign}${sign}` })

    expect(await readUserIds(buildQuery({ match: sign }), stranger)).toEqual([id])
    expect(await readUserIds(buildQuery({ match: `${sign}${sign}` }), stranger)).toEqual([id])
  })

  test('the login that is the string first, then the others by login', async () => {
    const mark = uniqueName('exact')
    const [a, b] = await insertPeopleNamed(`${mark} a`, `${mark} b`)
    const exact = await insertPerson()
    await executeBatch(sql`UPDATE users SET login = ${`zz${mark}`}, login_fold = ${`zz${mark}`}
      WHERE id = ${exact.id}`)
    const other = await insertPerson({ realName: `about zz${mark}` })

    expect(await readUserIds(`?match=ZZ${mark}`, stranger)).toEqual([exact.id, other.id])
    expect(await readUserIds(`?match=ZZ${mark}&limit=1`, stranger)).toEqual([exact.id])
    expect(await readUserIds(`?match=${mark}&limit=2`, stranger)).toEqual([a.id, b.id])
  })

  test('without disabled users, unless requested or named by their login', async () => {
    const mark = uniqueName('left')
    const [gone, here] = await insertPeopleNamed(`${mark} a`, `${mark} b`)
    await executeBatch(sql`UPDATE users SET login_denied_text = 'Left' WHERE id = ${gone.id}`)

    expect(await readUserIds(`?match=${mark}`, stranger)).toEqual([here.id])
    expect(await readUserIds(`?match=${mark}*`, stranger)).toEqual([here.id])
    expect(await readUserIds(`?match=${mark}&include_disabled=false`, stranger)).toEqual([here.id])
    expect(await readUserIds(`?match=${mark}&include_disabled=1`, stranger)).toEqual([
      gone.id,
      here.id,
    ])
    expect(await readUserIds(`?match=${gone.login}`, stranger)).toEqual([gone.id])
    expect(await readUserIds(`/${gone.id}?names=${gone.login}`, stranger)).toEqual([gone.id])
  })

  test('at most limit for each string, and never more than the site allows', async () => {
    const [one, two] = [uniqueName('many'), uniqueName('more')]
    const ones = await insertPeopleNamed(`${one} a`, `${one} b`, `${one} c`)
    const twos = await insertPeopleNamed(`${two} a`, `${two} b`, `${two} c`)
    const [a, b, c] = ones.map(({ id }) => id)
    const [x, y] = twos.map(({ id }) => id)

    expect(await readUserIds(`?match=${one}&match=${two}&limit=2`, stranger)).toEqual([a, b, x, y])
    expect(await readUserIds(`?match=${one}&match=${one}&limit=1`, stranger)).toEqual([a])
    expect(await readUserIds(`?match=${one}&limit=5000`, stranger)).toEqual([a, b, c])
    expect(await readUserIds(`?match=${one}&limit=`, stranger)).toEqual([a, b, c])
    for (const [limit, expected] of [
      ['', [a, b]],
      ['&limit=1', [a]],
      ['&limit=3', [a, b]],
    ] as const) {
      const { users } = await readUsersWith(
        { USER_MATCH_LIMIT: '2' },
        stranger,
        `?match=${one}${limit}`,
      )
      expect(users.map(({ id }) => id)).toEqual(expected)
    }
  })

  test('everybody for a lone star', async () => {
    const club = await insertGroup([stranger, administrator])
    const everybody = new Set(await readUserIds(`?match=*&group_ids=${club.id}`, stranger))

    expect(everybody).toEqual(new Set([stranger.id, administrator.id]))
    expect(await readUserIds('?match=*&limit=3', stranger)).toHaveLength(3)
  })
})

describe('answers members of groups alone', () => {
  let direct: TestPerson
  let inherited: TestPerson
  let outsider: TestPerson
  let inner: TestGroup
  let outer: TestGroup
  const mark = uniqueName('club')
  beforeAll(async () => {
    ;[direct, inherited, outsider] = await insertPeopleNamed(`${mark} a`, `${mark} b`, `${mark} c`)
    inner = await insertGroup([inherited])
    outer = await insertGroup([direct])
    await executeBatch(
      grantStatement(inner, 'membership', outer),
      ...recomputeMembershipsStatements([inherited.id]),
    )
  })

  test.each(['groups', 'group'])('named by %s, for their members', async (parameter) => {
    const filter = buildQuery({ match: mark, [parameter]: outer.name.toUpperCase() })

    expect(await readUserIds(filter, direct)).toEqual([direct.id, inherited.id])
    expect(await readUserIds(filter, inherited)).toEqual([direct.id, inherited.id])
  })

  test('named by group_ids, for everybody who has logged in', async () => {
    for (const who of [stranger, direct, administrator]) {
      expect(await readUserIds(`?match=${mark}&group_ids=${outer.id}`, who)).toEqual([
        direct.id,
        inherited.id,
      ])
      expect(await readUserIds(`?match=${mark}&group_ids=${inner.id}`, who)).toEqual([inherited.id])
    }
  })

  test('whatever they were found by', async () => {
    const filter = `group_ids=${inner.id}`
    const both = `ids=${direct.id}&ids=${inherited.id}`

    expect(await readUserIds(`?${both}&${filter}`, stranger)).toEqual([inherited.id])
    expect(
      await readUserIds(`?names=${outsider.login}&names=${inherited.login}&${filter}`, stranger),
    ).toEqual([inherited.id])
    expect(await readUserIds(`/${direct.id}?${filter}`, stranger)).toEqual([])
    expect(await readUserIds(`?match=${direct.login}&${filter}`, stranger)).toEqual([])
  })

  test('of any of several groups, counted before the limit', async () => {
    const third = await insertGroup([outsider])
    const filter = `group_ids=${inner.id},${third.id}`

    expect(await readUserIds(`?match=${mark}&${filter}`, stranger)).toEqual([
      inherited.id,
      outsider.id,
    ])
    expect(await readUserIds(`?match=${mark}&limit=1&${filter}`, stranger)).toEqual([inherited.id])
    expect(
      await readUserIds(`?match=${mark}&group_ids=${inner.id}&groups=${third.name}`, outsider),
    ).toEqual([inherited.id, outsider.id])
  })

  test('and takes blank lists for no filter', async () => {
    expect(await readUserIds(`?names=${outsider.login}&groups=&group_ids=`, ANYONE)).toEqual([
      outsider.id,
    ])
  })
})

describe('hides people where the site shows them by group', () => {
  const SETTINGS = { USE_VISIBILITY_GROUPS: 'on' }
  let team: TestGroup
  let observer: TestPerson
  let seen: TestPerson
  let unseen: TestPerson
  const mark = uniqueName('view')
  beforeAll(async () => {
    ;[unseen, seen] = await insertPeopleNamed(`${mark} a`, `${mark} b`)
    team = await insertGroup([seen])
    observer = await insertPerson()
    await executeBatch(grantStatement(await insertGroup([observer]), 'visible', team))
  })
  const ids = async (who: TestPerson, path: string) =>
    (await readUsersWith(SETTINGS, who, path)).users.map(({ id }) => id)

  test('from matches, silently, also those whose login is the string', async () => {
    expect(await ids(observer, `?match=${mark}`)).toEqual([seen.id])
    expect(await ids(observer, `?match=${mark}&limit=1`)).toEqual([seen.id])
    expect(await ids(observer, `?match=${unseen.login}`)).toEqual([])
    expect(await ids(seen, `?match=${mark}`)).toEqual([seen.id])
    expect(await ids(stranger, `?match=${mark}`)).toEqual([])
  })

  test('from their IDs, with fault 304', async () => {
    expect(await ids(observer, `?ids=${seen.id}`)).toEqual([seen.id])
    expect(await readUsersWith(SETTINGS, observer, `?ids=${seen.id},${unseen.id}`)).toMatchObject({
      code: 304,
      message: expect.stringContaining(String(unseen.id)),
    })
    expect(await readUsersWith(SETTINGS, stranger, `/${seen.id}`)).toMatchObject({ code: 304 })
    expect(await ids(observer, '?ids=99999999')).toEqual([])
  })

  test('but neither from themselves nor from those who know their login', async () => {
    expect(await ids(unseen, `/${unseen.id}`)).toEqual([unseen.id])
    expect(await ids(unseen, `?match=${mark}`)).toEqual([unseen.id])
    expect(await ids(stranger, `/${unseen.login}`)).toEqual([unseen.id])
  })
})
