import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { ANYONE, expectFault, get } from '../support/client.ts'
import { grant, write } from '../support/people.ts'
import { group, person, type TestPerson, unique } from '../support/world.ts'

let creator: TestPerson

beforeAll(async () => {
  creator = await person({ roles: ['creategroups'] })
})

describe('the grants of a group are answered', () => {
  test('as the names of who gets what from it, in order, by its ID or its name', async () => {
    const [its, a, b, other] = [await group(), await group(), await group(), await group()]
    await write(
      sql`UPDATE access_groups SET name = ${`ZZ ${a.name}`}, name_fold = ${`zz ${a.name}`}
        WHERE id = ${a.id}`,
      grant(a, 'membership', its),
      grant(b, 'membership', its),
      grant(b, 'bless', its),
      grant(a, 'visible', its),
      grant(its, 'membership', other),
    )
    const grants = {
      members_from: [b.name, `ZZ ${a.name}`],
      bless_from: [b.name],
      visible_to: [`ZZ ${a.name}`],
    }
    for (const path of [its.id, its.name.toUpperCase()]) {
      expect((await get(creator, `/rest/group/${path}/grants`)).body).toEqual(grants)
    }
    expect((await get(creator, `/rest/group/${a.id}/grants`)).body).toEqual({
      members_from: [],
      bless_from: [],
      visible_to: [],
    })
    const some = await get(creator, `/rest/group/${its.id}/grants?include_fields=bless_from`)
    expect(some.body).toEqual({ bless_from: [b.name] })
  })
})

describe('the grants of a group are refused', () => {
  test('to who may not create groups: 410 and 304, whether there is one or not', async () => {
    const [its, editor] = [await group(), await person({ roles: ['editusers'] })]
    for (const path of [its.id, unique('missing')]) {
      expectFault(await get(ANYONE, `/rest/group/${path}/grants`), 401, 410)
      expectFault(await get(editor, `/rest/group/${path}/grants`), 401, 304)
    }
  })

  test('for a group that does not exist: 51, and for no ID: 52', async () => {
    const missing = unique('missing')
    expectFault(await get(creator, `/rest/group/${missing}/grants`), 404, 51, missing)
    expectFault(await get(creator, '/rest/group/99999999/grants'), 404, 51, '99999999')
    expectFault(await get(creator, '/rest/group/0/grants'), 400, 52)
  })
})
