import { describe, expect, test } from 'vitest'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

describe('timezone answers UTC', () => {
  test('even with wrong keys and tokens', async () => {
    const answer = await get(ANYONE, '/rest/timezone?token=1-stale&api_key=stale')
    expect(answer.body).toEqual({ timezone: '+0000' })
  })

  test('though a login is required', async () => {
    expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/rest/timezone')).status).toBe(200)
  })
})

test('timezone refuses a wrong password, though it needs none', async () => {
  expectFault(
    await get(ANYONE, `/rest/timezone?login=${uniqueName('nobody')}&password=wrong`),
    401,
    300,
  )
})
