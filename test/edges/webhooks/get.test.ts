import { expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { insertWebhook } from '../../support/builders/webhooks.ts'
import { expectFault, get } from '../../support/client.ts'

test('a webhook is shown to its owner and to administrators, and does not exist for others', async () => {
  const [owner, admin, other] = [
    await insertPerson(),
    await insertPerson({ roles: ['admin'] }),
    await insertPerson({ roles: ['editusers', 'editbugs', 'insider'] }),
  ]
  const { id } = await insertWebhook(owner, { url: 'https://hooks.example.com/' }, { name: 'mine' })
  const path = `/rest/webhooks/${id}`
  for (const who of [owner, admin]) {
    expect((await get(who, path)).body).toMatchObject({ id, name: 'mine', creator: owner.login })
  }
  expectFault(await get(other, path), 404, 51)
  const { text } = await get(owner, path)
  expect(text).not.toMatch(/secret|whsec|header/)
})
