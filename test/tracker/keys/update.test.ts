import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { runStatements } from '../../support/database/statements.ts'

async function postKey(
  of: TestPerson,
  description = 'before',
): Promise<{ id: number; key: string }> {
  const { id, api_key } = (await post(of, '/rest/api_key', { description })).body
  return { id, key: api_key }
}

async function stateOf(id: number) {
  const [keys, audit] = await runStatements([
    sql`SELECT description, revoked FROM api_keys WHERE id = ${id}`,
    sql`SELECT user_id, changes FROM audit_log
      WHERE object_class = 'APIKey' AND object_id = ${id} AND action = 'update' ORDER BY id`,
  ])
  return {
    description: keys?.[0]?.description,
    revoked: keys?.[0]?.revoked,
    audit: audit?.map((row) => ({ by: row.user_id, ...JSON.parse(String(row.changes)) })),
  }
}

describe('PUT /api_key', () => {
  test('reports the change and records its author', async () => {
    const ann = await insertPerson()
    const { id } = await postKey(ann)
    const changed = await put(ann, `/rest/api_key/${id}`, { description: ' after ', revoked: 1 })
    const changes = {
      description: { removed: 'before', added: 'after' },
      revoked: { removed: '0', added: '1' },
    }
    expect(changed.body).toEqual({ api_keys: [{ id, changes }] })
    expect(await stateOf(id)).toEqual({
      description: 'after',
      revoked: 1,
      audit: [{ by: ann.id, ...changes }],
    })
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const ann = await insertPerson()
    const { id } = await postKey(ann)
    for (const body of [{}, { description: 'before', revoked: false }, { description: null }]) {
      const answer = await put(ann, `/rest/api_key/${id}`, body)
      expect(answer.body).toEqual({ api_keys: [{ id, changes: {} }] })
      expect(answer.cost.written).toBe(0)
    }
    expect((await stateOf(id)).audit).toEqual([])
  })

  test('revokes a key, and restores it', async () => {
    const ann = await insertPerson()
    const { id, key } = await postKey(ann)
    await put(ann, `/rest/api_key/${id}`, { revoked: 'true' })
    expectFault(await get({ key }, '/rest/whoami'), 400, 306)
    await put(ann, `/rest/api_key/${id}`, { revoked: 'false' })
    expect((await get({ key }, '/rest/whoami')).body.id).toBe(ann.id)
  })

  test('lets people with editusers change keys of others', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    const { id } = await postKey(ann)
    const answer = await put(editor, `/rest/api_key/${id}`, { revoked: true })
    expect(answer.body.api_keys[0].changes).toEqual({ revoked: { removed: '0', added: '1' } })
    expect((await stateOf(id)).audit).toMatchObject([{ by: editor.id }])
  })

  test('chains concurrent changes: each begins where the previous one ended', async () => {
    const ann = await insertPerson()
    const { id } = await postKey(ann, '0')
    const wishes = ['1', '2', '3', '4', '5', '6']
    const answers = await Promise.all(
      wishes.map((description) => put(ann, `/rest/api_key/${id}`, { description })),
    )
    expect(answers.map(({ status }) => status)).toEqual(wishes.map(() => 200))
    const { description, audit = [] } = await stateOf(id)
    const steps = audit.map((entry) => entry.description)
    expect(steps[0].removed).toBe('0')
    expect(steps.map(({ added }) => added).toSorted()).toEqual(wishes)
    expect(steps.slice(1).map(({ removed }) => removed)).toEqual(
      steps.slice(0, -1).map(({ added }) => added),
    )
    expect(steps.at(-1).added).toBe(description)
  })
})

describe('PUT /api_key', () => {
  test.each([
    ['a blank description', { description: ' ' }, 50],
    ['a long description', { description: 'x'.repeat(256) }, 53],
    ['what is no yes or no', { revoked: ['1', '0'] }, 53],
  ])('rejects %s', async (_, body, code) => {
    const ann = await insertPerson()
    const { id } = await postKey(ann)
    expectFault(await put(ann, `/rest/api_key/${id}`, body), 400, code)
    expect(await stateOf(id)).toMatchObject({ description: 'before', revoked: 0 })
  })

  test.each(['one', '0', '-1', '1.5'])(
    'rejects the ID %s, which is no number above zero with 52',
    async (id) => {
      expectFault(await put(await insertPerson(), `/rest/api_key/${id}`, {}), 400, 52, `'${id}'`)
    },
  )

  test('rejects a key that does not exist with 51', async () => {
    const editor = await insertPerson({ roles: ['editusers'] })
    expectFault(await put(editor, '/rest/api_key/999999999', {}), 404, 51, '999999999')
  })

  test('rejects callers who have not logged in with 410', async () => {
    expectFault(await put(ANYONE, '/rest/api_key/1', {}), 401, 410)
  })
})

describe('PUT /api_key', () => {
  test('hides keys of others, as if they did not exist: 51', async () => {
    const [ann, bob] = [await insertPerson({ roles: ['creategroups'] }), await insertPerson()]
    const { id } = await postKey(bob)
    expectFault(await put(ann, `/rest/api_key/${id}`, { revoked: true }), 404, 51, String(id))
    expect(await stateOf(id)).toMatchObject({ revoked: 0, audit: [] })
  })
})
