import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { parseMoment, toDatetime } from '../../../src/platform/lib/time.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, type Sender } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const DAY = 86_400
const rotate = (who: Sender, id: number, body: object = {}) =>
  post(who, `/rest/api_key/${id}/rotate`, body)
const whoami = (key: string) => get({ key }, '/rest/whoami')
const keyRow = (id: number) => loadRow('api_keys', sql`id = ${id}`)

describe('POST /api_key/{id}/rotate', () => {
  test('makes a key with the same rights, and lets the old one work for a day', async () => {
    const ann = await insertPerson()
    const { id: product } = await insertProduct()
    const old = await insertApiKey(ann, { canWrite: false, products: [product] })
    const { status, body, cost } = await rotate(ann, old.id)
    expect(status).toBe(201)
    expect(body).toMatchObject({ expires: null, replaced: { id: old.id } })
    expect(cost.trips).toBeLessThanOrEqual(3)
    const end = parseMoment(body.replaced.expires) ?? 0
    expect(Math.abs(end - (NOW + DAY))).toBeLessThan(600)
    for (const key of [old.key, body.api_key]) {
      expect((await whoami(key)).body.id).toBe(ann.id)
      expectFault(await post({ key }, '/rest/bug', {}), 401, 304, "'write'")
    }
    const { user_id, description, product_ids } = (await keyRow(body.id)) ?? {}
    expect({ user_id, description, product_ids }).toEqual({
      user_id: ann.id,
      description: '',
      product_ids: `[${product}]`,
    })
    expect(await keyRow(old.id)).toMatchObject({ replaced_by_id: body.id, expires_at: end })
  })

  test('ends the old key at once without an overlap', async () => {
    const ann = await insertPerson()
    const old = await insertApiKey(ann)
    const { body } = await rotate(ann, old.id, { overlap_hours: 0 })
    expectFault(await whoami(old.key), 400, 306, 'expired')
    expect((await whoami(body.api_key)).status).toBe(200)
  })

  test('never lets the old key work longer than it would have', async () => {
    const ann = await insertPerson()
    const old = await insertApiKey(ann, { expiresAt: NOW + 7200 })
    const { body } = await rotate(ann, old.id)
    expect(body.replaced.expires).toBe(toDatetime(NOW + 7200))
  })

  test('lets the new key live as long as the old one was to, or until a given moment', async () => {
    const ann = await insertPerson()
    const [one, other] = [
      await insertApiKey(ann, { expiresAt: NOW + 30 * DAY }),
      await insertApiKey(ann, { expiresAt: NOW + 30 * DAY }),
    ]
    const same = parseMoment((await rotate(ann, one.id)).body.expires) ?? 0
    expect(Math.abs(same - (NOW + 30 * DAY))).toBeLessThan(600)
    const given = await rotate(ann, other.id, { expires: '2999-01-01' })
    expect(given.body.expires).toBe('2999-01-01T00:00:00Z')
  })

  test('records both keys in the audit log, and no secret', async () => {
    const admin = await insertPerson({ roles: ['admin'] })
    const old = await insertApiKey(admin)
    const { id, api_key, replaced } = (await rotate(admin, old.id)).body
    const made = await get(admin, `/rest/audit?object=APIKey&object_id=${id}`)
    expect(made.body.audit).toContainEqual(
      expect.objectContaining({ action: 'create', field: 'replaces', added: String(old.id) }),
    )
    const ended = await get(admin, `/rest/audit?object=APIKey&object_id=${old.id}`)
    expect(ended.body.audit).toMatchObject([
      { action: 'update', field: 'expires', removed: '', added: replaced.expires },
    ])
    expect(made.text + ended.text).not.toContain(api_key)
  })

  test('lets no limited key prolong its own life', async () => {
    const ann = await insertPerson()
    const end = NOW + 2 * DAY
    for (const limits of [{ canWrite: false }, { canAdminister: false }, { products: [1] }]) {
      const own = await insertApiKey(ann, { ...limits, expiresAt: end })
      await execute(sql`UPDATE api_keys SET created_at = ${NOW - 900 * DAY} WHERE id = ${own.id}`)
      const first = (await rotate(own, own.id)).body
      const second = (await rotate({ key: first.api_key }, first.id)).body
      expect([first.expires, second.expires]).toEqual([toDatetime(end), toDatetime(end)])
    }
  })

  test('replaces a limited key by itself, with the same limits', async () => {
    const ann = await insertPerson()
    const [own, other] = [await insertApiKey(ann, { canWrite: false }), await insertApiKey(ann)]
    expectFault(await rotate(own, other.id), 401, 304, 'manages no key but itself')
    expectFault(await rotate(own, own.id, { expires: '2999-01-01' }), 401, 304)
    const { body } = await rotate(own, own.id)
    expect((await whoami(body.api_key)).body.id).toBe(ann.id)
    expectFault(await post({ key: body.api_key }, '/rest/bug', {}), 401, 304, "'write'")
  })

  test('replaces a key once, also when two ask at once', async () => {
    const ann = await insertPerson()
    const old = await insertApiKey(ann)
    const answers = await Promise.all([rotate(ann, old.id), rotate(ann, old.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expectFault(await rotate(ann, old.id), 400, 53, 'rotated already')
    const [row] = await execute(sql`SELECT count(*) AS n FROM api_keys WHERE user_id = ${ann.id}`)
    expect(row?.n).toBe(3)
  })
})

describe('POST /api_key/{id}/rotate', () => {
  test.each<[string, Parameters<typeof insertApiKey>[1], object, number, string]>([
    ['a revoked key', { revoked: true }, {}, 53, 'revoked'],
    ['an expired key', { expiresAt: NOW - 60 }, {}, 53, 'expired'],
    ['an overlap of more than 30 days', {}, { overlap_hours: 721 }, 53, '720'],
    ['an overlap that is no number', {}, { overlap_hours: 'long' }, 52, 'overlap_hours'],
    ['an expiry in the past', {}, { expires: '2001-01-01' }, 53, 'expires'],
  ])('rejects %s', async (_, state, body, code, naming) => {
    const ann = await insertPerson()
    const { id } = await insertApiKey(ann, state)
    expectFault(await rotate(ann, id, body), 400, code, naming)
  })

  test('hides the keys of others with 51, and rejects strangers with 410', async () => {
    const { id } = await insertApiKey(await insertPerson())
    expectFault(await rotate(await insertPerson(), id), 404, 51, String(id))
    expectFault(await rotate(await insertPerson(), 999_999_999), 404, 51)
    expectFault(await rotate(ANYONE, id), 401, 410)
  })
})
