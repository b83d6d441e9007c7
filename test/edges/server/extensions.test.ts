import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'

describe('extensions', () => {
  test('answers an empty list to everybody', async () => {
    for (const who of [ANYONE, await insertPerson()]) {
      expect((await get(who, '/rest/extensions')).body).toEqual({ extensions: {} })
    }
  })

  test('refuses a key that nobody has', async () => {
    expectFault(await get({ key: 'lw0000000000' }, '/rest/extensions'), 400, 306)
  })
})
