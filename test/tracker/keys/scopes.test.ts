import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { groupControls } from '../../../src/platform/db/schema/products.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { expectFault, get, post, put, type Sender, send } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const ALL = ['read', 'write', 'admin']

/** Creates a key and lists it. */
async function createKey(of: Sender, body: object) {
  const made = await post(of, '/rest/api_key', { description: 'x', ...body })
  expect(made.status, made.text).toBe(201)
  return { key: made.body.api_key as string, ...(await findKey(of, made.body.id)) }
}

async function findKey(of: Sender, id: number) {
  const { api_keys } = (await get(of, '/rest/api_key')).body
  return api_keys.find((each: { id: number }) => each.id === id)
}

describe('POST /api_key', () => {
  test.each<[string, object, string[]]>([
    ['all scopes when none are named', {}, ALL],
    ['all scopes for null', { scopes: null, products: null }, ALL],
    ['reading alone', { scopes: ['read'] }, ['read']],
    ['reading for a single text', { scopes: 'read' }, ['read']],
    ['reading with each other scope', { scopes: ['WRITE'] }, ['read', 'write']],
    ['reading as an administrator', { scopes: ['read', 'admin'] }, ['read', 'admin']],
  ])('creates a key with %s', async (_, body, scopes) => {
    expect(await createKey(await insertPerson(), body)).toMatchObject({ scopes, products: null })
  })

  test('creates a key for some products, which never administers', async () => {
    const [one, other] = [await insertProduct(), await insertProduct()]
    const products = [other.name.toUpperCase(), one.name]
    expect(await createKey(await insertPerson(), { products })).toMatchObject({
      scopes: ['read', 'write'],
      products: [one.name, other.name].sort(),
    })
  })

  test.each<[string, object, string]>([
    ['no scope', { scopes: [] }, 'scopes'],
    ['an unknown scope', { scopes: ['read', 'everything'] }, 'scopes'],
    ['no product, which is no limit', { products: [] }, 'products'],
    ['too many products', { products: Array.from({ length: 51 }, (_, n) => `p${n}`) }, '50'],
  ])('rejects %s with 53', async (_, body, naming) => {
    const answer = await post(await insertPerson(), '/rest/api_key', { description: 'x', ...body })
    expectFault(answer, 400, 53, naming)
  })

  test('rejects administration in some products with 53', async () => {
    const { name } = await insertProduct()
    const body = { description: 'x', products: [name], scopes: ['admin'] }
    expectFault(await post(await insertPerson(), '/rest/api_key', body), 400, 53, 'scopes')
  })

  test('hides whether a product exists from those who may not search it, with 106', async () => {
    const group = await insertGroup()
    const secret = await insertProduct({
      controls: [{ group, memberControl: 3, otherControl: 3, entry: true }],
    })
    const who = await insertPerson()
    for (const name of [secret.name, 'No Such Product']) {
      const answer = await post(who, '/rest/api_key', { description: 'x', products: [name] })
      expectFault(answer, 401, 106, name)
    }
  })

  test('records the scopes in the audit log, and no secret', async () => {
    const [admin, ann] = [await insertPerson({ roles: ['admin'] }), await insertPerson()]
    const { name } = await insertProduct()
    const { id, key } = await createKey(ann, { products: [name], scopes: ['read'] })
    const { body, text } = await get(admin, `/rest/audit?object=APIKey&object_id=${id}`)
    const added = Object.fromEntries(
      body.audit.map((item: { field: string; added: string }) => [item.field, item.added]),
    )
    expect(added).toEqual({
      user: ann.login,
      description: 'x',
      expires: '',
      scopes: 'read',
      products: name,
    })
    expect(text).not.toContain(key)
  })
})

describe('GET /api_key', () => {
  test('leaves out the names of products that the owner may no longer search', async () => {
    const ann = await insertPerson()
    const { id: productId, name } = await insertProduct()
    const { id } = await createKey(ann, { products: [name] })
    const group = await insertGroup()
    await execute(
      db
        .insert(groupControls)
        .values({ productId, groupId: group.id, memberControl: 3, otherControl: 3 }),
    )
    expect((await findKey(ann, id)).products).toEqual([])
  })
})

describe('PUT /api_key', () => {
  test('changes scopes, products and expiry, answers and records each', async () => {
    const ann = await insertPerson()
    const { id } = await insertApiKey(ann)
    const { name } = await insertProduct()
    const changed = await put(ann, `/rest/api_key/${id}`, {
      scopes: ['read'],
      products: [name],
      expires: '2999-01-01',
    })
    expect(changed.body.api_keys[0].changes).toEqual({
      expires: { removed: '', added: '2999-01-01T00:00:00Z' },
      scopes: { removed: 'read, write, admin', added: 'read' },
      products: { removed: '', added: name },
    })
    expect(await findKey(ann, id)).toMatchObject({
      scopes: ['read'],
      products: [name],
      expires: '2999-01-01T00:00:00Z',
    })
    const never = await put(ann, `/rest/api_key/${id}`, { expires: 'never' })
    expect(never.body.api_keys[0].changes).toEqual({
      expires: { removed: '2999-01-01T00:00:00Z', added: '' },
    })
  })

  test('takes products away that the owner may no longer search', async () => {
    const ann = await insertPerson()
    const [kept, hidden] = [await insertProduct(), await insertProduct()]
    const { id } = await insertApiKey(ann, { canAdminister: false, products: [kept.id, hidden.id] })
    const group = await insertGroup()
    await execute(
      db
        .insert(groupControls)
        .values({ productId: hidden.id, groupId: group.id, memberControl: 3, otherControl: 3 }),
    )
    expect((await put(ann, `/rest/api_key/${id}`, { products: [kept.name] })).status).toBe(200)
    const row = await loadRow('api_keys', sql`id = ${id}`)
    expect(row?.product_ids).toBe(`[${kept.id}]`)
  })

  test('takes administration from a key that it limits to products', async () => {
    const ann = await insertPerson()
    const { id } = await insertApiKey(ann)
    const { name } = await insertProduct()
    const changed = await put(ann, `/rest/api_key/${id}`, { products: [name] })
    expect(changed.body.api_keys[0].changes.scopes).toEqual({
      removed: 'read, write, admin',
      added: 'read, write',
    })
    expectFault(await put(ann, `/rest/api_key/${id}`, { scopes: ['admin'] }), 400, 53, 'scopes')
  })

  test('neither null nor a blank text lifts a limit', async () => {
    const ann = await insertPerson()
    const { id } = await createKey(ann, { scopes: ['read'], expires: '2999-01-01' })
    for (const nothing of [null, '']) {
      const answer = await put(ann, `/rest/api_key/${id}`, { expires: nothing, products: null })
      expect(answer.body.api_keys[0].changes).toEqual({})
    }
    expectFault(await put(ann, `/rest/api_key/${id}`, { products: [] }), 400, 53, 'products')
  })

  test.each<[string, number]>([
    ['2001-01-01', 53],
    ['soon', 56],
  ])('rejects the expiry %s', async (expires, code) => {
    const ann = await insertPerson()
    const { id } = await insertApiKey(ann)
    expectFault(await put(ann, `/rest/api_key/${id}`, { expires }), 400, code, 'expires')
  })
})

describe('a limited key', () => {
  test.each<[string, Parameters<typeof insertApiKey>[1]]>([
    ['without administration', { canAdminister: false }],
    ['for some products', { products: [1] }],
  ])('%s makes and changes no key, and revokes itself alone', async (_, limits) => {
    const ann = await insertPerson()
    const [own, other] = [await insertApiKey(ann, limits), await insertApiKey(ann)]
    const refusal = 'manages no key but itself'
    expectFault(await post(own, '/rest/api_key', { description: 'x' }), 401, 304, refusal)
    for (const { id } of [own, other]) {
      expectFault(await put(own, `/rest/api_key/${id}`, { scopes: ['admin'] }), 401, 304, refusal)
    }
    expectFault(await send(own, 'DELETE', `/rest/api_key/${other.id}`), 401, 304, refusal)
    expect((await send(own, 'DELETE', `/rest/api_key/${own.id}`)).body).toEqual({ success: 1 })
    expectFault(await get(own, '/rest/whoami'), 400, 306, 'revoked')
  })

  test('that only reads revokes itself, and makes no key', async () => {
    const key = await insertApiKey(await insertPerson(), { canWrite: false })
    expectFault(await post(key, '/rest/api_key', { description: 'x' }), 401, 304, "'write'")
    expect((await send(key, 'DELETE', `/rest/api_key/${key.id}`)).status).toBe(200)
  })
})
