import { expect, test } from 'vitest'
import { ANYONE, get } from '../../../support/client.ts'
import { readResult } from '../../../support/clients/rpc.ts'

test.each(['version', 'extensions', 'timezone', 'parameters', 'last_audit_time'])(
  'Bugzilla.%s answers what the REST API does',
  async (name) => {
    const rest = await get(ANYONE, `/rest/${name}`)
    expect(await readResult(ANYONE, `Bugzilla.${name}`)).toEqual(rest.body)
  },
)

test('Bugzilla.time answers the time', async () => {
  expect(await readResult(ANYONE, 'Bugzilla.time')).toMatchObject({ tz_name: 'UTC' })
})
