import { describe, expect, test } from 'vitest'
import { createService } from '../../../../src/app.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { ANYONE, get } from '../../../support/client.ts'
import { buildProbe, fetchFrom } from '../../../support/clients/service.ts'

/** A service with one operation that always says the same, and how often its verb has run. */
function constantService() {
  const runs = { count: 0 }
  const service = createService([
    buildProbe({ isConstant: true, credentials: 'password' }, async () => {
      runs.count += 1
      return { said: 'always' }
    }),
  ])
  return { service, runs }
}

describe('a constant operation', () => {
  test('serves its stored answer with the same headers', async () => {
    const { service, runs } = constantService()
    const [first, second] = [
      await fetchFrom(service, '/rest/probe'),
      await fetchFrom(service, '/rest/probe'),
    ]
    expect(runs.count).toBe(1)
    expect(await second.json()).toEqual(await first.json())
    const constantHeaders = ({ headers }: { headers: Headers }) =>
      [...headers].filter(([name]) => name !== 'server-timing')
    expect(constantHeaders(second)).toEqual(constantHeaders(first))
    expect(second.headers.get('etag')).not.toBeNull()
    expect(second.headers.get('server-timing')).toContain('"0 trips, 0 statements,')
  })

  test('answers 304 for its ETag', async () => {
    const { service } = constantService()
    const etag = (await fetchFrom(service, '/rest/probe')).headers.get('etag') ?? ''
    const again = await fetchFrom(service, '/rest/probe', { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test('serves a request with a query in the usual way', async () => {
    const { service, runs } = constantService()
    await fetchFrom(service, '/rest/probe')
    const script = await fetchFrom(service, '/rest/probe?callback=tell', {
      headers: { accept: 'application/javascript' },
    })
    expect(await script.text()).toBe('/**/tell({"said":"always"})')
    expect(runs.count).toBe(2)
  })

  test('serves callers with an invalid key, because it ignores keys', async () => {
    await get(ANYONE, '/rest/version')
    expect((await get({ key: 'stale' }, '/rest/version')).status).toBe(200)
    expect((await get(await insertPerson(), '/rest/version')).status).toBe(200)
  })
})

describe('a constant operation rejects', () => {
  test.each<Record<string, string>>([
    { 'x-tracker-login': 'nobody@example.com', 'x-tracker-password': 'wrong' },
    { 'x-bugzilla-login': 'nobody@example.com', 'x-bugzilla-password': 'wrong' },
  ])('a wrong password, though it has been said before: %o', async (headers) => {
    const { service, runs } = constantService()
    await fetchFrom(service, '/rest/probe')
    const answer = await fetchFrom(service, '/rest/probe', { headers })
    expect(answer.status).toBe(401)
    expect(await answer.json()).toMatchObject({ error: true, code: 300 })
    expect(runs.count).toBe(1)
  })

  test('a wrong password in the query', async () => {
    const { service } = constantService()
    await fetchFrom(service, '/rest/probe')
    const answer = await fetchFrom(service, '/rest/probe?login=nobody%40example.com&password=wrong')
    expect(answer.status).toBe(401)
  })
})
