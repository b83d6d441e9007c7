import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { runStatements } from '../../support/database/statements.ts'

describe('GET /api_key', () => {
  test('leaves out the oldest of more than a thousand, revoked ones first, and pages through all', async () => {
    const owner = await insertPerson()
    const [{ id: first } = { id: 0 }] = (await get(owner, '/rest/api_key')).body.api_keys
    await runStatements([
      sql`INSERT INTO api_keys (user_id, hash, prefix, created_at, revoked)
        SELECT ${owner.id}, ${owner.login} || key, 'lwxxxx', 0, key < 1200
        FROM json_each(${JSON.stringify(Array.from({ length: 1203 }, () => 0))})`,
    ])
    const read = async (query: string): Promise<{ id: number; revoked: boolean }[]> =>
      (await get(owner, `/rest/api_key${query}`)).body.api_keys

    const all = await read('')
    expect(all).toHaveLength(1000)
    expect(all[0]?.id).toBe(first)
    expect(all.filter(({ revoked }) => !revoked)).toHaveLength(4)
    expect(all[1]?.id).toBe(first + 205)
    const pages = [await read('?limit=700'), await read('?limit=700&offset=700')].flat()
    expect(pages).toHaveLength(1204)
    expect(pages.map(({ id }) => id)).toEqual(pages.map(({ id }) => id).toSorted((a, b) => a - b))
    expectFault(await get(owner, '/rest/api_key?offset=1'), 400, 50, 'limit')
    expectFault(await get(owner, '/rest/api_key?limit=1&offset=100001'), 400, 54, 'offset')
  })

  test('lists the own keys, oldest first, revoked and expired ones too', async () => {
    const ann = await insertPerson()
    const revoked = await insertApiKey(ann, { revoked: true })
    const expired = await insertApiKey(ann, { expiresAt: NOW - 60 })
    await insertPerson()
    const headers = { 'x-tracker-api-key': ann.key, 'cf-connecting-ip': '192.0.2.7' }
    await fetchWith({}, '/rest/whoami', { headers })
    const { body } = await get(ann, '/rest/api_key')
    expect(body.api_keys).toEqual([
      {
        id: expect.any(Number),
        user: ann.login,
        description: '',
        prefix: ann.key.slice(0, 6),
        creation_time: toDatetime(NOW),
        last_used: expect.stringMatching(/Z$/),
        last_used_ip: '192.0.2.7',
        expires: null,
        revoked: false,
        scopes: ['read', 'write', 'admin'],
        products: null,
        replaced_by: null,
      },
      expect.objectContaining({
        prefix: revoked.key.slice(0, 6),
        last_used: null,
        last_used_ip: null,
        revoked: true,
      }),
      expect.objectContaining({
        prefix: expired.key.slice(0, 6),
        expires: toDatetime(NOW - 60),
        revoked: false,
      }),
    ])
  })

  test('shows the keys of others to people with editusers, by their login in any case', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    for (const user of [ann.login, ann.login.toUpperCase(), ` ${ann.login} `]) {
      const { body } = await get(editor, `/rest/api_key?user=${encodeURIComponent(user)}`)
      expect(body.api_keys).toMatchObject([{ user: ann.login, prefix: ann.key.slice(0, 6) }])
    }
  })

  test('is empty for a user without keys', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    const ann = await insertPerson()
    await runStatements([sql`DELETE FROM api_keys WHERE user_id = ${ann.id}`])
    expect((await get(editor, `/rest/api_key?user=${ann.login}`)).body).toEqual({ api_keys: [] })
  })

  test('lists the own keys for the own login and for a blank one', async () => {
    const ann = await insertPerson()
    for (const query of [`user=${ann.login.toUpperCase()}`, 'user=', 'user=%20']) {
      const { body } = await get(ann, `/rest/api_key?${query}`)
      expect(body.api_keys).toMatchObject([{ user: ann.login }])
    }
  })

  test('shows the selected fields alone', async () => {
    const ann = await insertPerson()
    const some = await get(ann, '/rest/api_key?include_fields=prefix,revoked,unknown')
    expect(some.body.api_keys).toEqual([{ prefix: ann.key.slice(0, 6), revoked: false }])
    const others = await get(ann, '/rest/api_key?exclude_fields=id,user&exclude_fields=prefix')
    expect(Object.keys(others.body.api_keys[0])).toEqual([
      'description',
      'creation_time',
      'last_used',
      'last_used_ip',
      'expires',
      'revoked',
      'scopes',
      'products',
      'replaced_by',
    ])
  })
})

describe('GET /api_key', () => {
  test('rejects callers who have not logged in with 410', async () => {
    expectFault(await get(ANYONE, '/rest/api_key'), 401, 410)
    expectFault(await get(ANYONE, '/rest/api_key?user=nobody'), 401, 410)
  })

  test('rejects a login that does not exist with 51', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    expectFault(await get(editor, '/rest/api_key?user=No.Body'), 404, 51, 'No.Body')
  })
})

describe('GET /api_key', () => {
  test('hides those of others from people without editusers, and whether they exist: 304', async () => {
    const [ann, bob] = [await insertPerson({ roles: ['creategroups'] }), await insertPerson()]
    expectFault(await get(ann, `/rest/api_key?user=${bob.login}`), 401, 304)
    expectFault(await get(ann, '/rest/api_key?user=nobody'), 401, 304)
  })

  test('hides the keys themselves from everybody', async () => {
    const ann = await insertPerson()
    const { text } = await get(ann, '/rest/api_key?include_fields=_all,hash,sealed,api_key')
    expect(text).not.toContain(ann.key)
    expect(text).not.toContain('sealed')
    expect(text).not.toContain('hash')
  })
})
