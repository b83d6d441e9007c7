import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { sha256Hex, unseal } from '../../../src/platform/lib/crypto/secrets.ts'
import { parseMoment } from '../../../src/platform/lib/time.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { runStatements } from '../../support/database/statements.ts'

async function keysOf({ id }: TestPerson): Promise<Record<string, unknown>[]> {
  const [rows = []] = await runStatements([
    sql`SELECT * FROM api_keys WHERE user_id = ${id} ORDER BY id`,
  ])
  return rows
}

async function auditOf(keyId: number): Promise<Record<string, unknown>[]> {
  const [rows = []] = await runStatements([
    sql`SELECT user_id, action, changes FROM audit_log
      WHERE object_class = 'APIKey' AND object_id = ${keyId}`,
  ])
  return rows.map((row) => ({ ...row, changes: JSON.parse(String(row.changes)) }))
}

describe('POST /api_key', () => {
  test.each(['scope', 'product', 'expire'])(
    'refuses the misspelled limit %s, which would leave the key without it',
    async (name) => {
      const ann = await insertPerson()
      const body = { description: 'x', [name]: ['read'] }
      expectFault(await post(ann, '/rest/api_key', body), 400, 53, `'${name}'`)
      expect(await keysOf(ann)).toHaveLength(1)
    },
  )

  test('creates a key that works, with its number, its description and its prefix', async () => {
    const ann = await insertPerson()
    const made = await post(ann, '/rest/api_key', { description: 'for the build' })
    expect(made.status).toBe(201)
    expect(made.body).toEqual({
      id: expect.any(Number),
      api_key: expect.stringMatching(/^lw[0-9A-Za-z]{38}$/),
      prefix: made.body.api_key.slice(0, 6),
    })
    expect((await get({ key: made.body.api_key }, '/rest/whoami')).body.id).toBe(ann.id)
  })

  test('creates a key that is listed with its description, as one line', async () => {
    const ann = await insertPerson()
    const { id } = (await post(ann, '/rest/api_key', { description: '  for\nthe build ' })).body
    const { api_keys } = (await get(ann, '/rest/api_key')).body
    expect(api_keys).toContainEqual(
      expect.objectContaining({ id, description: 'for the build', expires: null, revoked: false }),
    )
  })

  test.each(['2999-12-31', '2999-12-31T23:00:00Z', '2999-12-31 23:00'])(
    'creates a key that expires at the given moment: %s',
    async (expires) => {
      const ann = await insertPerson()
      const { id } = (await post(ann, '/rest/api_key', { description: 'x', expires })).body
      const row = (await keysOf(ann)).find((each) => each.id === id)
      expect(row?.expires_at).toBe(parseMoment(expires))
    },
  )

  test.each([null, ''])(
    'creates a key that does not expire when no moment is given: %j',
    async (expires) => {
      const ann = await insertPerson()
      const made = await post(ann, '/rest/api_key', { description: 'x', expires })
      expect(made.status).toBe(201)
    },
  )

  test('lets people with editusers create a key of somebody else', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    const user = ann.login.toUpperCase()
    const { id, api_key } = (await post(editor, '/rest/api_key', { description: 'x', user })).body
    expect((await get({ key: api_key }, '/rest/whoami')).body.id).toBe(ann.id)
    expect(await auditOf(id)).toEqual([
      {
        user_id: editor.id,
        action: 'create',
        changes: {
          user: { removed: '', added: ann.login },
          description: { removed: '', added: 'x' },
          expires: { removed: '', added: '' },
          scopes: { removed: '', added: 'read, write, admin' },
          products: { removed: '', added: '' },
        },
      },
    ])
  })

  test('stores a key as a hash and encrypted, never as it is', async () => {
    const ann = await insertPerson()
    const { id, api_key } = (await post(ann, '/rest/api_key', { description: 'x' })).body
    const row = (await keysOf(ann)).find((each) => each.id === id)
    expect(row?.hash).toBe(await sha256Hex(api_key))
    expect(await unseal(String(row?.sealed), env.SECRETS_KEY)).toBe(api_key)
    expect(JSON.stringify(row)).not.toContain(api_key)
    expect(JSON.stringify(await auditOf(id))).not.toContain(api_key)
  })
})

describe('POST /api_key', () => {
  const wrong: [string, object, number, number, string][] = [
    ['no description', {}, 400, 50, 'description'],
    ['null for a description', { description: null }, 400, 50, 'description'],
    ['a blank description', { description: ' \n ' }, 400, 50, 'description'],
    ['a description that is no text', { description: ['x', 'y'] }, 400, 53, 'description'],
    ['a long description', { description: 'x'.repeat(256) }, 400, 53, '255'],
    ['an expiry that has passed', { description: 'x', expires: '2020-01-01' }, 400, 53, 'expires'],
    ['an expiry that is no date', { description: 'x', expires: 'soon' }, 400, 56, 'expires'],
  ]

  test.each(wrong)('rejects %s', async (_, body, status, code, naming) => {
    const ann = await insertPerson()
    expectFault(await post(ann, '/rest/api_key', body), status, code, naming)
    expect(await keysOf(ann)).toHaveLength(1)
  })

  test('rejects an expiry at this very moment', async () => {
    const expires = new Date(NOW * 1000).toISOString()
    const answer = await post(await insertPerson(), '/rest/api_key', { description: 'x', expires })
    expectFault(answer, 400, 53, 'expires')
  })

  test('rejects callers who have not logged in with 410, before anything else', async () => {
    expectFault(await post(ANYONE, '/rest/api_key', {}), 401, 410)
  })

  test('rejects a user that does not exist with 51', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    const answer = await post(editor, '/rest/api_key', { description: 'x', user: 'nobody' })
    expectFault(answer, 404, 51, 'nobody')
  })
})

describe('POST /api_key', () => {
  test('hides whether a user exists from people without editusers, with 304', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    for (const user of [bob.login, 'nobody']) {
      const answer = await post(ann, '/rest/api_key', { description: 'x', user })
      expectFault(answer, 401, 304)
    }
    expect(await keysOf(bob)).toHaveLength(1)
  })
})
