import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { operations } from '../../../../src/app.ts'
import { type BearerRow, bearerOf } from '../../../../src/platform/access/bearer.ts'
import {
  cacheIdentity,
  lookupCachedIdentity,
} from '../../../../src/platform/access/cached-identity/cached-identity.ts'
import {
  newApiKey,
  newTokenSecret,
  sha256Hex,
} from '../../../../src/platform/lib/crypto/secrets.ts'
import { buildBugBody } from '../../../support/builders/bugs.ts'
import { buildCaller } from '../../../support/builders/callers.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson } from '../../../support/builders/types.ts'
import { NOW, uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../../support/client.ts'
import { fetchWith } from '../../../support/clients/service.ts'
import { executeBatch } from '../../../support/database/execute.ts'
import { buildMailService } from '../../../support/fakes/mail-service.ts'

const DAY = 86_400

/** Somebody whom the isolate has seen, by a key or by a token. */
async function insertCachedPerson(
  more: Parameters<typeof insertPerson>[0] = {},
): Promise<TestPerson> {
  const somebody = await insertPerson(more)
  expect((await get(somebody, '/rest/whoami')).body.id).toBe(somebody.id)
  return somebody
}

async function insertCachedToken(): Promise<{ id: number; token: string; hash: string }> {
  const { id } = await insertPerson()
  const token = `${id}-${newTokenSecret()}`
  const hash = await sha256Hex(token)
  await executeBatch(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
    VALUES (${hash}, ${id}, ${NOW}, ${NOW})`)
  expect((await fetchWithToken(token)).body.id).toBe(id)
  return { id, token, hash }
}

function fetchWithToken(token: string, path = '/rest/whoami') {
  return get(ANYONE, path, { 'x-tracker-token': token })
}

const everyBug = (id: number) =>
  executeBatch(sql`SELECT * FROM bugs WHERE id = ${id}`).then(([rows = []]) => rows)

describe('a cached caller', () => {
  test('reads in one round trip and writes in two, wherever the credential stands', async () => {
    const place = await insertProduct()
    const first = await insertPerson()
    const filed = await post(first, '/rest/bug', buildBugBody(place))
    expect(filed.cost.trips).toBe(3)
    expect((await post(first, '/rest/bug', buildBugBody(place))).cost.trips).toBe(2)
    const path = `/rest/bug/${filed.body.id}`
    expect((await get(first, path)).cost.trips).toBe(1)
    expect((await get(ANYONE, `${path}?api_key=${first.key}`)).cost.trips).toBe(1)
    expect((await put(first, path, { priority: 'P1' })).cost.trips).toBe(2)
    const { token } = await insertCachedToken()
    expect((await fetchWithToken(token, path)).cost.trips).toBe(1)
  })

  test('is verified when the verb itself reads nothing', async () => {
    const somebody = await insertCachedPerson()
    const again = await get(somebody, '/rest/whoami')
    expect(again).toMatchObject({ status: 200, cost: { trips: 1 } })
    await executeBatch(sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${somebody.id}`)
    expectFault(await get(somebody, '/rest/whoami'), 400, 306)
  })

  test('has the present rights and the present name of the person', async () => {
    const [somebody, insider] = [await insertCachedPerson(), await insertPerson()]
    const inside = await insertGroup([insider])
    const place = await insertProduct()
    const id = (await post(insider, '/rest/bug', buildBugBody(place))).body.id
    await executeBatch(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${id}, ${inside.id})`)
    expectFault(await get(somebody, `/rest/bug/${id}`), 401, 102)
    await executeBatch(sql`INSERT INTO memberships (user_id, group_id)
      VALUES (${somebody.id}, ${inside.id})`)
    expect((await get(somebody, `/rest/bug/${id}`)).status).toBe(200)
    expect((await get(somebody, `/rest/bug/${id}`)).cost.trips).toBe(1)
    const login = `${uniqueName('renamed')}@example.test`
    await executeBatch(
      sql`UPDATE users SET login = ${login}, login_fold = ${login} WHERE id = ${somebody.id}`,
    )
    expect((await get(somebody, '/rest/whoami')).body.name).toBe(login)
  })

  test('has the use of the key recorded once an hour', async () => {
    const somebody = await insertCachedPerson()
    const long = NOW - 2 * 3600
    await executeBatch(
      sql`UPDATE api_keys SET last_used_at = ${long} WHERE user_id = ${somebody.id}`,
    )
    const sent = { headers: { 'x-tracker-api-key': somebody.key, 'cf-connecting-ip': '192.0.2.9' } }
    await fetchWith({}, '/rest/whoami', sent)
    const [rows = []] = await executeBatch(
      sql`SELECT last_used_at, last_used_ip FROM api_keys WHERE user_id = ${somebody.id}`,
    )
    expect(rows[0]).toMatchObject({ last_used_ip: '192.0.2.9' })
    expect(Number(rows[0]?.last_used_at)).toBeGreaterThanOrEqual(NOW)
  })
})

const LOSSES: [string, (whom: TestPerson) => ReturnType<typeof sql>, number, number][] = [
  ['revoked', ({ id }) => sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${id}`, 400, 306],
  ['deleted', ({ id }) => sql`DELETE FROM api_keys WHERE user_id = ${id}`, 400, 306],
  [
    'expired',
    ({ id }) => sql`UPDATE api_keys SET expires_at = ${NOW - 1} WHERE user_id = ${id}`,
    400,
    306,
  ],
  [
    'disabled with its owner',
    ({ id }) => sql`UPDATE users SET login_denied_text = 'Left.' WHERE id = ${id}`,
    401,
    301,
  ],
]

describe.each(LOSSES)('a key that has been %s since it was cached', (_, lose, status, code) => {
  test('cannot read', async () => {
    const place = await insertProduct()
    const [somebody, inside] = [await insertCachedPerson(), await insertGroup()]
    const id = (await post(somebody, '/rest/bug', buildBugBody(place))).body.id
    await executeBatch(
      sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${id}, ${inside.id})`,
      lose(somebody),
    )
    for (const path of [`bug/${id}`, `bug?id=${id}`, `bug/${id}/comment`, 'group', 'whoami']) {
      expectFault(await get(somebody, `/rest/${path}`), status, code)
    }
  })

  test('cannot write', async () => {
    const place = await insertProduct()
    const somebody = await insertCachedPerson({ roles: ['editbugs', 'admin'] })
    const id = (await post(somebody, '/rest/bug', buildBugBody(place))).body.id
    await executeBatch(lose(somebody))
    const before = await everyBug(id)
    const count = sql`SELECT count(*) AS n FROM bugs WHERE product_id = ${place.id}`
    expectFault(await post(somebody, '/rest/bug', buildBugBody(place)), status, code)
    expectFault(await put(somebody, `/rest/bug/${id}`, { priority: 'P5' }), status, code)
    expectFault(await post(somebody, `/rest/bug/${id}/comment`, { comment: 'x' }), status, code)
    expectFault(await post(somebody, '/rest/group', { name: uniqueName('g') }), status, code)
    expect(await everyBug(id)).toEqual(before)
    expect((await executeBatch(count))[0]).toEqual([{ n: 1 }])
  })

  test('gets the fault of the key and no other fault', async () => {
    const somebody = await insertCachedPerson()
    await executeBatch(lose(somebody))
    expectFault(await post(somebody, '/rest/bug', { summary: 'no product' }), status, code)
    expectFault(await get(somebody, '/rest/bug?quicksearch=x'), status, code)
    expectFault(await put(somebody, '/rest/group/1', { name: 'x' }), status, code)
    // these are refused before any verb runs
    expectFault(await get(somebody, '/rest/bug?limit=abc'), status, code)
    expectFault(await post(somebody, '/rest/bug_user_last_visit', { ids: 'x' }), status, code)
  })
})

describe('a key that has been revoked since it was cached', () => {
  const demanding = operations.filter(({ credentials }) => credentials === 'all')

  test.each(demanding.map((each) => [`${each.method} ${each.path}`, each] as const))(
    'is rejected by %s before any other fault',
    async (_, { method, path }) => {
      const somebody = await insertCachedPerson()
      await executeBatch(sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${somebody.id}`)
      const url = `/rest${path.replace(/:\w+(\{[^}]*\})?/g, 'x')}`
      const body = method === 'GET' ? undefined : { ids: ['x'], is_active: 'x', limit: 'x' }
      expectFault(await send(somebody, method, `${url}?limit=x`, body), 400, 306)
    },
  )
})

test('a client with a revoked key gets no 304', async () => {
  const somebody = await insertCachedPerson()
  const tag = (await get(somebody, '/rest/whoami')).headers.get('etag') ?? ''
  const again = () => get(somebody, '/rest/whoami', { 'if-none-match': tag })
  expect((await again()).status).toBe(304)
  await executeBatch(sql`UPDATE api_keys SET revoked = 1 WHERE user_id = ${somebody.id}`)
  expectFault(await again(), 400, 306)
})

test('an upload is stored completely when the verb runs twice', async () => {
  const place = await insertProduct()
  const somebody = await insertCachedPerson()
  const id = (await post(somebody, '/rest/bug', buildBugBody(place))).body.id
  await executeBatch(sql`UPDATE users SET real_name = 'Changed' WHERE id = ${somebody.id}`)
  const data = btoa('every byte of it')
  const file = { data, file_name: 'a.bin', summary: 'x', content_type: 'application/x-own' }
  const made = await post(somebody, `/rest/bug/${id}/attachment`, file)
  expect(made).toMatchObject({ status: 201, cost: { trips: 4 } })
  const [attachment] = made.body.ids
  const kept = await get(somebody, `/rest/bug/attachment/${attachment}`)
  expect(kept.body.attachments[attachment]).toMatchObject({
    data,
    creator_detail: { real_name: 'Changed' },
  })
})

describe('a cached token', () => {
  test('is unknown after logout and after it has expired', async () => {
    const [ended, idle] = [await insertCachedToken(), await insertCachedToken()]
    await get(ANYONE, `/rest/logout?token=${ended.token}`)
    expectFault(await fetchWithToken(ended.token), 400, 307)
    await executeBatch(
      sql`UPDATE tokens SET last_used_at = ${NOW - 8 * DAY} WHERE hash = ${idle.hash}`,
    )
    expectFault(await fetchWithToken(idle.token, '/rest/group'), 400, 307)
  })

  test('works only from its bound address, even when it was cached there', async () => {
    const { token, hash, id } = await insertCachedToken()
    await executeBatch(sql`UPDATE tokens SET bound_ip = '192.0.2.44' WHERE hash = ${hash}`)
    const from = (ip: string) =>
      fetchWith({}, '/rest/whoami', {
        headers: { 'x-tracker-token': token, 'cf-connecting-ip': ip },
      })
    expect((await from('192.0.2.44')).status).toBe(200)
    expect((await from('192.0.2.45')).status).toBe(400)
    expect(await (await from('192.0.2.44')).json()).toMatchObject({ id })
  })
})

describe('a person who has lost a group since they were cached', () => {
  test('has no rights of that group', async () => {
    const place = await insertProduct()
    const [somebody, insider] = [await insertPerson(), await insertPerson()]
    const inside = await insertGroup([somebody, insider])
    const id = (await post(insider, '/rest/bug', buildBugBody(place))).body.id
    await executeBatch(sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${id}, ${inside.id})`)
    expect((await get(somebody, `/rest/bug/${id}`)).status).toBe(200)
    await executeBatch(
      sql`DELETE FROM memberships WHERE user_id = ${somebody.id} AND group_id = ${inside.id}`,
    )
    const before = await everyBug(id)
    expectFault(await get(somebody, `/rest/bug/${id}`), 401, 102)
    expect((await get(somebody, `/rest/bug?id=${id}`)).body.bugs).toEqual([])
    expectFault(await put(somebody, `/rest/bug/${id}`, { priority: 'P5' }), 401, 102)
    expectFault(await post(somebody, `/rest/bug/${id}/comment`, { comment: 'x' }), 401, 102)
    expect(await everyBug(id)).toEqual(before)
  })

  test('loses the rights of an administrator', async () => {
    const former = await insertCachedPerson({ roles: ['admin', 'creategroups'] })
    await executeBatch(sql`DELETE FROM memberships WHERE user_id = ${former.id}`)
    const name = uniqueName('g')
    const answer = await post(former, '/rest/group', { name, description: 'x' })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await executeBatch(sql`SELECT id FROM access_groups WHERE name = ${name}`))[0]).toEqual(
      [],
    )
  })
})

test('a cached key does not validate another key of the same person', async () => {
  const somebody = await insertCachedPerson()
  const { key } = await insertApiKey(somebody, { revoked: true })
  expectFault(await send({ key }, 'GET', '/rest/whoami'), 400, 306)
  expect((await get(somebody, '/rest/whoami')).status).toBe(200)
})

describe('the cache of an isolate', () => {
  const claim = { ...buildMailService().ctx(NOW), ip: '192.0.2.1' }
  const owner = buildCaller({ id: 1, login: 'a' })
  const cacheRow = async (key: string, groups = '[]') => {
    const bearer = await bearerOf({ kind: 'key', key })
    if (bearer !== null) {
      cacheIdentity(bearer, { userId: 1, login: 'a', groups } as BearerRow, owner)
    }
  }
  const isCached = async (key = '') =>
    (await lookupCachedIdentity(claim, { kind: 'key', key })) !== null

  test('has the latest thousand keys and tokens', async () => {
    const keys = Array.from({ length: 1001 }, () => newApiKey())
    for (const key of keys) {
      await cacheRow(key)
    }
    expect(await isCached(keys[0])).toBe(false)
    expect(await isCached(keys[1])).toBe(true)
    expect(await isCached(keys[1000])).toBe(true)
  })

  test('excludes people with thousands of groups', async () => {
    const [few, many] = [newApiKey(), newApiKey()]
    await cacheRow(few, JSON.stringify(Array.from({ length: 200 }, (_, i) => [i, null])))
    await cacheRow(many, JSON.stringify(Array.from({ length: 2000 }, (_, i) => [i, null])))
    expect(await isCached(few)).toBe(true)
    expect(await isCached(many)).toBe(false)
  })
})
