import { describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get } from '../support/client.ts'
import { askWith } from '../support/service.ts'
import { unique } from '../support/world.ts'

describe('timezone answers UTC', () => {
  test('whatever keys and tokens come along', async () => {
    const answer = await get(ANYONE, '/rest/timezone?token=1-stale&api_key=stale')
    expect(answer.body).toEqual({ timezone: '+0000' })
  })

  test('though a login is required', async () => {
    expect((await askWith({ REQUIRE_LOGIN: 'on' }, '/rest/timezone')).status).toBe(200)
  })
})

test('timezone refuses a wrong password, though it needs none', async () => {
  expectFault(
    await get(ANYONE, `/rest/timezone?login=${unique('nobody')}&password=wrong`),
    401,
    300,
  )
})
