import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { unseal } from '../../../src/platform/lib/crypto/secrets.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertHiddenProduct, insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { expectFault, get, put } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const target = { url: 'https://hooks.example.com/a' }
const loadWebhook = (id: number) => loadRow('webhooks', sql`id = ${id}`)

async function change(who: TestPerson, id: number, body: object) {
  const answer = await put(who, `/rest/webhooks/${id}`, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.webhooks[0]
}

describe('PUT /webhooks/{id}', () => {
  test('changes and reports the named values, and keeps the others', async () => {
    const [owner, place] = [await insertPerson(), await insertProduct()]
    const { id } = await insertWebhook(owner, target, { name: 'mine', events: 'create' })
    expect(
      await change(owner, id, {
        name: 'Mine',
        event: 'change',
        product: place.name,
        enabled: false,
      }),
    ).toEqual({
      id,
      changes: {
        name: { removed: 'mine', added: 'Mine' },
        event: { removed: 'create', added: 'change' },
        product: { removed: 'Any', added: place.name },
        enabled: { removed: '1', added: '0' },
      },
    })
    expect((await get(owner, `/rest/webhooks/${id}`)).body).toMatchObject({
      ...{ name: 'Mine', url: target.url, event: 'change', product: place.name },
      ...{ component: 'Any', enabled: false },
    })
    expect(await change(owner, id, { name: 'Mine', enabled: false })).toEqual({ id, changes: {} })
  })

  test('takes a component of the product that it has, and drops it with another product', async () => {
    const owner = await insertPerson()
    const [place, other] = [await insertProduct(), await insertProduct()]
    const { id } = await insertWebhook(owner, target, { productId: place.id })
    const { changes } = await change(owner, id, { component: place.component })
    expect(changes).toEqual({ component: { removed: 'Any', added: place.component } })
    expectFault(await put(owner, `/rest/webhooks/${id}`, { component: other.component }), 404, 51)
    await change(owner, id, { product: other.name })
    expect((await get(owner, `/rest/webhooks/${id}`)).body).toMatchObject({
      product: other.name,
      component: 'Any',
    })
    expect((await change(owner, id, { product: null })).changes).toEqual({
      product: { removed: other.name, added: 'Any' },
    })
  })

  test('rotates the secret, which only this answer holds', async () => {
    const owner = await insertPerson()
    const { id, secret } = await insertWebhook(owner, target)
    const answer = await change(owner, id, { rotate_secret: true })
    expect(answer).toEqual({ id, changes: {}, secret: expect.stringMatching(/^whsec_/) })
    expect(answer.secret).not.toBe(secret)
    const row = await loadWebhook(id)
    expect(await unseal(String(row?.secret_sealed), env.SECRETS_KEY)).toBe(answer.secret)
    const audit = await loadRow('audit_log', sql`object_class = 'Webhook' AND object_id = ${id}`)
    expect(JSON.parse(String(audit?.changes))).toEqual({
      rotate_secret: { removed: '', added: '1' },
    })
  })

  test('records in the audit log that the path of the address changed, and not to what', async () => {
    const owner = await insertPerson()
    const { id } = await insertWebhook(owner, { url: 'https://hooks.example.com/tulip' })
    await change(owner, id, { url: 'https://hooks.example.com/rose' })
    const audit = await loadRow('audit_log', sql`object_class = 'Webhook' AND object_id = ${id}`)
    expect(JSON.parse(String(audit?.changes))).toEqual({ url_path: { removed: '', added: '1' } })
  })

  test('names a product that its owner does not see any more nowhere, and may leave it', async () => {
    const owner = await insertPerson()
    const [vault, place] = [await insertHiddenProduct(), await insertProduct()]
    const { id } = await insertWebhook(owner, target, vault.ids)
    const body = { component: vault.component }
    const refusal = await put(owner, `/rest/webhooks/${id}`, body)
    expectFault(refusal, 401, 106, '(hidden)')
    expect(refusal.text).not.toContain(vault.name)
    expectFault(await put(owner, `/rest/webhooks/${id}`, { product: '(hidden)' }), 401, 106)
    expect((await change(owner, id, { name: 'New' })).changes).toEqual({
      name: { removed: expect.any(String), added: 'New' },
    })
    expect((await change(owner, id, { product: place.name })).changes).toEqual({
      product: { removed: '(hidden)', added: place.name },
      component: { removed: '(hidden)', added: 'Any' },
    })
    // the log is for those who administer products
    const log = await execute(
      sql`SELECT changes FROM audit_log WHERE object_class = 'Webhook' AND object_id = ${id}`,
    )
    expect(JSON.stringify(log)).toContain(vault.name)
  })

  test('sets, replaces and takes away the header', async () => {
    const owner = await insertPerson()
    const { id } = await insertWebhook(owner, target)
    const readHeader = async () => {
      const sealed = (await loadWebhook(id))?.header_sealed
      return typeof sealed === 'string' ? unseal(sealed, env.SECRETS_KEY) : null
    }
    expect((await change(owner, id, { header: { name: 'X-Key', value: 'a' } })).changes).toEqual({
      header: { removed: '0', added: '1' },
    })
    expect((await change(owner, id, { header: { name: 'X-Key', value: 'b' } })).changes).toEqual({})
    expect(await readHeader()).toBe('b')
    await change(owner, id, { header: null })
    expect(await readHeader()).toBeNull()
  })

  test('enables anew: without errors, and deaf to what happened before', async () => {
    const owner = await insertPerson()
    const { id } = await insertWebhook(owner, target, {
      isEnabled: false,
      errors: 100,
      afterNoticeId: -1,
    })
    await change(owner, id, { enabled: true })
    const row = await loadWebhook(id)
    expect(row).toMatchObject({ errors: 0, is_enabled: 1 })
    expect(row?.after_notice_id).not.toBe(-1)
  })

  test('keeps all of several changes at the same time', async () => {
    const owner = await insertPerson()
    const { id } = await insertWebhook(owner, target, { name: 'mine' })
    await Promise.all([
      change(owner, id, { name: 'ours' }),
      change(owner, id, { event: 'comment' }),
      change(owner, id, { enabled: false }),
    ])
    expect((await get(owner, `/rest/webhooks/${id}`)).body).toMatchObject({
      name: 'ours',
      event: 'comment',
      enabled: false,
    })
  })

  test('by an administrator checks the name among the webhooks of the owner', async () => {
    const [owner, admin] = [await insertPerson(), await insertPerson({ roles: ['admin'] })]
    const { id } = await insertWebhook(owner, target, { name: 'one' })
    await insertWebhook(owner, target, { name: 'two' })
    await insertWebhook(admin, target, { name: 'three' })
    expectFault(await put(admin, `/rest/webhooks/${id}`, { name: 'Two' }), 400, 32_000, 'Two')
    expect((await change(admin, id, { name: 'three' })).changes).toHaveProperty('name')
  })
})
