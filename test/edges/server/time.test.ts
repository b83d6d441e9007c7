import { describe, expect, test } from 'vitest'
import { getTime } from '../../../src/edges/server/time.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { ANYONE, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'

describe('GET /time', () => {
  test('is the moment of the call in UTC, the same for database and service', async () => {
    // of the whole context it takes the moment alone
    expect(await getTime.run({ now: 1_700_000_000 } as Ctx, {})).toEqual({
      db_time: '2023-11-14T22:13:20Z',
      web_time: '2023-11-14T22:13:20Z',
      web_time_utc: '2023-11-14T22:13:20Z',
      tz_name: 'UTC',
      tz_short_name: 'UTC',
      tz_offset: '+0000',
    })
  })

  test('answers everybody, with a datetime that clients can read', async () => {
    const { body } = await get(ANYONE, '/rest/time')
    expect(body.web_time_utc).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect(body.db_time).toBe(body.web_time_utc)
  })
})

test('time refuses anonymous callers where a login is required', async () => {
  expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/rest/time')).status).toBe(401)
})
