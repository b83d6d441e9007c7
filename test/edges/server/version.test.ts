import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

describe('GET /version', () => {
  test('answers a version that clients read as 5.1 or later', async () => {
    const { body, headers } = await get(ANYONE, '/rest/version')
    expect(body).toEqual({ version: expect.stringMatching(/^\d+\.\d+$/) })
    const [major = 0, minor = 0] = body.version.split('.').map(Number)
    expect(major > 5 || (major === 5 && minor >= 1)).toBe(true)
    expect(headers.get('vary')).toBe('Accept')
    expect(headers.get('content-type')).toBe('application/json')
  })

  test('ignores keys and tokens, even wrong ones', async () => {
    const answer = await get(ANYONE, '/rest/version?token=1-stale&api_key=stale', {
      'x-tracker-api-key': 'stale',
      'x-tracker-token': '1-stale',
      authorization: 'Bearer stale',
    })
    expect(answer.status).toBe(200)
  })

  test('needs no login even where the service requires one', async () => {
    expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/rest/version')).status).toBe(200)
  })
})

describe('GET /version', () => {
  test('rejects a wrong password, though it needs none', async () => {
    expectFault(await get(ANYONE, '/rest/version?login=nobody&password=wrong'), 401, 300)
    const ann = await insertPerson({ password: 'a good password' })
    const query = new URLSearchParams({ login: ann.login, password: 'a good password' })
    expect((await get(ANYONE, `/rest/version?${query}`)).status).toBe(200)
  })
})
