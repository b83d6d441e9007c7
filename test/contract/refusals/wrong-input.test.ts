import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertApiKey, insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, send } from '../../support/client.ts'
import { type RefusalWorld, testRefusals } from '../../support/clients/refusals.ts'
import { loadFootprint } from '../../support/database/footprint.ts'
import type { Refusal } from '../../support/tables/refusals/refusal.ts'

type By = 'anyone' | 'reporter' | 'unknownKey' | 'revokedKey' | 'expiredKey'

const BUG = buildBugBody({
  id: 0,
  name: '{product}',
  component: '{component}',
  version: 'unspecified',
})

/** Refusals that all operations have in common; their own stand in their tables. */
const REFUSALS: readonly Refusal<By>[] = [
  { code: 32614, by: 'reporter', request: 'GET /bugs', naming: '/rest/bugs' },
  { code: 32614, by: 'reporter', request: 'DELETE /bugs/1', naming: 'DELETE' },
  { code: 306, by: 'unknownKey', request: 'GET /bug/1', naming: 'API key' },
  { code: 306, by: 'revokedKey', request: 'POST /bug', body: BUG, naming: 'API key' },
  { code: 306, by: 'expiredKey', request: 'POST /bug', body: BUG, naming: 'API key' },
  { code: 307, by: 'anyone', request: 'GET /whoami?token=1-nonsense' },
  { code: 410, by: 'anyone', request: 'GET /whoami' },
]

const reporter = await insertPerson()
const { name: product, component } = await insertProduct()
const world: RefusalWorld<By> = {
  senders: {
    anyone: ANYONE,
    reporter,
    unknownKey: { key: 'nonsense' },
    revokedKey: await insertApiKey(reporter, { revoked: true }),
    expiredKey: await insertApiKey(reporter, { expiresAt: NOW - 10 }),
  },
  names: { product, component },
}

describe('any operation', () => {
  testRefusals(REFUSALS, () => world)

  test.each(['GET', 'POST'])(
    'redirects a %s with a query over 10 KB to the home page and writes nothing',
    async (method) => {
      const before = await loadFootprint()
      const answer = await send(
        world.senders.reporter,
        method,
        `/rest/bug?id=${'1,'.repeat(5_600)}`,
      )
      expect(answer.status).toBe(302)
      expect(answer.headers.get('location')).toBe('/?query_over_10_KB=1')
      expect(await loadFootprint()).toEqual(before)
    },
  )
})

test('GET /login with an unknown login answers 300 and writes nothing but the count of failures', async () => {
  const before = await loadFootprint()
  const login = `${uniqueName('nobody')}@example.test`
  expectFault(await get(ANYONE, `/rest/login?login=${login}&password=x`), 401, 300)
  expect(await loadFootprint()).toEqual(before)
})
