import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'

describe('GET /whoami', () => {
  test('shows the owner of a key', async () => {
    const ann = await insertPerson({ realName: 'Ann Example' })
    expect((await get(ann, '/rest/whoami')).body).toEqual({
      id: ann.id,
      name: ann.login,
      real_name: 'Ann Example',
      nick: ann.login.split('@')[0],
    })
  })

  test('shows the same for a token and for a login with its password', async () => {
    const ann = await insertPerson({ password: 'a good password' })
    const byKey = (await get(ann, '/rest/whoami')).body
    const query = new URLSearchParams({ login: ann.login, password: 'a good password' })
    expect((await get(ANYONE, `/rest/whoami?${query}`)).body).toEqual(byKey)
    const { token } = (await get(ANYONE, `/rest/login?${query}`)).body
    expect((await get(ANYONE, `/rest/whoami?token=${token}`)).body).toEqual(byKey)
  })
})

describe('GET /whoami', () => {
  test('shows the chosen fields alone', async () => {
    const ann = await insertPerson()
    const ask = async (query: string) => (await get(ann, `/rest/whoami?${query}`)).body
    expect(await ask('include_fields=id,name')).toEqual({ id: ann.id, name: ann.login })
    expect(await ask('exclude_fields=real_name,nick')).toEqual({ id: ann.id, name: ann.login })
  })

  test('rejects callers who have not logged in with 410', async () => {
    expectFault(await get(ANYONE, '/rest/whoami'), 401, 410)
  })
})
