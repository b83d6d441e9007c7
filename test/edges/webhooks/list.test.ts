import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { insertHiddenProduct } from '../../support/builders/products.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'

const target = { url: 'https://hooks.example.com/' }

describe('GET /webhooks/list', () => {
  test('lists the webhooks of the caller alone, oldest first', async () => {
    const [owner, other] = [await insertPerson(), await insertPerson({ roles: ['admin'] })]
    const first = await insertWebhook(owner, target, { name: 'b' })
    await insertWebhook(other, target)
    const second = await insertWebhook(owner, target, { name: 'a', isEnabled: false, errors: 7 })
    const { body } = await get(owner, '/rest/webhooks/list')
    expect(body.webhooks).toMatchObject([
      { id: first.id, name: 'b', creator: owner.login, product: 'Any', component: 'Any' },
      { id: second.id, name: 'a', enabled: false, errors: 7 },
    ])
    expect(JSON.stringify(body)).not.toMatch(/secret|header/)
  })

  test('does not name a product that its owner does not see any more', async () => {
    const owner = await insertPerson()
    const vault = await insertHiddenProduct()
    const { id } = await insertWebhook(owner, target, vault.ids)
    for (const path of ['list', String(id)]) {
      const { body, text } = await get(owner, `/rest/webhooks/${path}`)
      expect(body.webhooks?.[0] ?? body).toMatchObject({
        product: '(hidden)',
        component: '(hidden)',
      })
      expect(text).not.toContain(vault.name)
      expect(text).not.toContain(vault.component)
    }
    const member = await insertPerson({ groups: [vault.group] })
    const own = await insertWebhook(member, target, vault.ids)
    expect((await get(member, `/rest/webhooks/${own.id}`)).body).toMatchObject({
      product: vault.name,
      component: vault.component,
    })
  })

  test('answers an empty list to somebody without webhooks', async () => {
    const { body } = await get(await insertPerson(), '/rest/webhooks/list')
    expect(body).toEqual({ webhooks: [] })
  })

  test('shows the selected fields alone', async () => {
    const owner = await insertPerson()
    const { id } = await insertWebhook(owner, target)
    const { body } = await get(owner, '/rest/webhooks/list?include_fields=id,enabled')
    expect(body).toEqual({ webhooks: [{ id, enabled: true }] })
  })

  test('wants an API key in its header, and rejects everything else with 410', async () => {
    const owner = await insertPerson({ password: 'correct horse' })
    const login = new URLSearchParams({ login: owner.login, password: 'correct horse' })
    const { token } = (await get(ANYONE, `/rest/login?${login}`)).body
    for (const query of [`api_key=${owner.key}`, `token=${token}`, `${login}`]) {
      expectFault(await get(ANYONE, `/rest/webhooks/list?${query}`), 401, 410)
    }
    // the token is the stronger credential
    expectFault(await get(owner, `/rest/webhooks/list?token=${token}`), 401, 410)
  })
})
