import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { ANYONE, expectFault, get, post, send } from '../../support/client.ts'

async function postKey(of: TestPerson): Promise<{ id: number; key: string }> {
  const { id, api_key } = (await post(of, '/rest/api_key', { description: 'x' })).body
  return { id, key: api_key }
}

describe('revoking an API key', () => {
  test('ends it and no other', async () => {
    const ann = await insertPerson()
    const [first, second] = [await postKey(ann), await postKey(ann)]
    const answer = await send(ann, 'DELETE', `/rest/api_key/${first.id}`)
    expect([answer.status, answer.body]).toEqual([200, { success: 1 }])
    expectFault(await get(first, '/rest/whoami'), 400, 306)
    expect((await get(second, '/rest/whoami')).status).toBe(200)
  })

  test('leaves it in the list', async () => {
    const ann = await insertPerson()
    const { id } = await postKey(ann)
    await send(ann, 'DELETE', `/rest/api_key/${id}`)
    const { api_keys } = (await get(ann, '/rest/api_key')).body
    expect(api_keys).toContainEqual(expect.objectContaining({ id, revoked: true }))
  })

  test('again is no error and writes nothing', async () => {
    const ann = await insertPerson()
    const { id } = await postKey(ann)
    await send(ann, 'DELETE', `/rest/api_key/${id}`)
    const again = await send(ann, 'DELETE', `/rest/api_key/${id}`)
    expect([again.body, again.cost.written]).toEqual([{ success: 1 }, 0])
  })

  test('works with the very key that ends', async () => {
    const made = await postKey(await insertPerson())
    expect((await send(made, 'DELETE', `/rest/api_key/${made.id}`)).status).toBe(200)
    expectFault(await send(made, 'DELETE', `/rest/api_key/${made.id}`), 400, 306)
  })

  test('of others is for people with editusers', async () => {
    const [editor, ann] = [await insertPerson({ roles: ['editusers'] }), await insertPerson()]
    const { id, key } = await postKey(ann)
    expect((await send(editor, 'DELETE', `/rest/api_key/${id}`)).status).toBe(200)
    expectFault(await get({ key }, '/rest/whoami'), 400, 306)
  })
})

describe('DELETE /api_key', () => {
  test('rejects keys of others to everybody else, as if they did not exist with 51', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const { id, key } = await postKey(bob)
    expectFault(await send(ann, 'DELETE', `/rest/api_key/${id}`), 404, 51, String(id))
    expect((await get({ key }, '/rest/whoami')).status).toBe(200)
  })

  test('rejects a key that does not exist with 51, an ID that is no number with 52, and callers who have not logged in with 410', async () => {
    const ann = await insertPerson()
    expectFault(await send(ann, 'DELETE', '/rest/api_key/999999999'), 404, 51)
    expectFault(await send(ann, 'DELETE', '/rest/api_key/mine'), 400, 52)
    expectFault(await send(ANYONE, 'DELETE', '/rest/api_key/1'), 401, 410)
  })
})
