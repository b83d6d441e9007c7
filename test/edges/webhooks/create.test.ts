import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { unseal } from '../../../src/platform/lib/crypto/secrets.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { countRows, execute, loadRow } from '../../support/database/execute.ts'

const hook = { name: 'To chat', url: 'https://hooks.example.com/services/1', event: 'create' }

describe('POST /webhooks', () => {
  test('creates a webhook whose secret only this answer holds', async () => {
    const [owner, place] = [await insertPerson(), await insertProduct()]
    const { status, body } = await post(owner, '/rest/webhooks', {
      ...hook,
      event: ['comment', 'create'],
      product: place.name,
      component: place.component,
      header: { name: 'Authorization', value: 'Bearer tulip' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({ id: expect.any(Number), secret: expect.stringMatching(/^whsec_/) })
    const answer = await get(owner, `/rest/webhooks/${body.id}`)
    expect(answer.body).toEqual({
      id: body.id,
      creator: owner.login,
      name: 'To chat',
      url: hook.url,
      event: 'create,comment',
      product: place.name,
      component: place.component,
      enabled: true,
      errors: 0,
    })
  })

  test('keeps secret and header encrypted', async () => {
    const owner = await insertPerson()
    const header = { name: 'Authorization', value: 'Bearer tulip' }
    const { id, secret } = (await post(owner, '/rest/webhooks', { ...hook, header })).body
    const row = await loadRow('webhooks', sql`id = ${id}`)
    expect(JSON.stringify(row)).not.toContain('tulip')
    expect(await unseal(String(row?.secret_sealed), env.SECRETS_KEY)).toBe(secret)
    expect(await unseal(String(row?.header_sealed), env.SECRETS_KEY)).toBe('Bearer tulip')
  })

  test('writes the audit log without secrets', async () => {
    const owner = await insertPerson()
    const header = { name: 'Authorization', value: 'Bearer tulip' }
    const { id, secret } = (await post(owner, '/rest/webhooks', { ...hook, header })).body
    const row = await loadRow('audit_log', sql`object_class = 'Webhook' AND object_id = ${id}`)
    expect(row).toMatchObject({ user_id: owner.id, action: 'create' })
    expect(JSON.parse(String(row?.changes))).toMatchObject({
      name: { removed: '', added: 'To chat' },
      url: { removed: '', added: 'https://hooks.example.com' },
      header: { removed: '', added: '1' },
    })
    expect(row?.changes).not.toMatch(/tulip|services/)
    expect(row?.changes).not.toContain(secret)
  })

  test('takes Any for every product, and the name of a webhook of somebody else', async () => {
    const [one, other] = [await insertPerson(), await insertPerson()]
    const body = { ...hook, product: 'any', component: 'Any', enabled: false }
    expect((await post(one, '/rest/webhooks', body)).status).toBe(201)
    const { id } = (await post(other, '/rest/webhooks', body)).body
    const answer = await get(other, `/rest/webhooks/${id}`)
    expect(answer.body).toMatchObject({ product: 'Any', component: 'Any', enabled: false })
  })

  test('lets one of two requests with the same name succeed', async () => {
    const owner = await insertPerson()
    const answers = await Promise.all([1, 2].map(() => post(owner, '/rest/webhooks', hook)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    expect(await countRows('webhooks', sql`user_id = ${owner.id}`)).toBe(1)
  })

  test('rejects one more than a person may have with 32000', async () => {
    const owner = await insertPerson()
    await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
      INSERT INTO webhooks (user_id, name, name_fold, url, events, secret_sealed, created_at, is_enabled)
      SELECT ${owner.id}, i, i, 'https://hooks.example.com/', 'create', '', 0, 0 FROM n`)
    const answer = await post(owner, '/rest/webhooks', hook)
    expect(answer.body).toMatchObject({ code: 32_000, message: expect.stringContaining('1000') })
  })

  test('takes http and local addresses only where the site allows them', async () => {
    const owner = await insertPerson()
    const init = {
      method: 'POST',
      headers: { 'x-tracker-api-key': owner.key },
      body: JSON.stringify({ ...hook, url: 'http://localhost:8000/' }),
    }
    expect((await fetchWith({}, '/rest/webhooks', init)).status).toBe(400)
    const settings = { WEBHOOK_ALLOW_PRIVATE: 'on' }
    expect((await fetchWith(settings, '/rest/webhooks', init)).status).toBe(201)
  })
})
