import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { grantStatement, insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'

const creator = await insertPerson({ roles: ['creategroups'] })

describe('GET /group/:group/grants', () => {
  test('lists the groups that a group grants something to, in order, by its ID or name', async () => {
    const [its, a, b, other] = [
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
      await insertGroup(),
    ]
    await executeBatch(
      sql`UPDATE access_groups SET name = ${`ZZ ${a.name}`}, name_fold = ${`zz ${a.name}`}
        WHERE id = ${a.id}`,
      grantStatement(a, 'membership', its),
      grantStatement(b, 'membership', its),
      grantStatement(b, 'bless', its),
      grantStatement(a, 'visible', its),
      grantStatement(its, 'membership', other),
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

describe('GET /group/:group/grants', () => {
  test('rejects callers without creategroups with 410 and 304, whether the group exists or not', async () => {
    const [its, editor] = [await insertGroup(), await insertPerson({ roles: ['editusers'] })]
    for (const path of [its.id, uniqueName('missing')]) {
      expectFault(await get(ANYONE, `/rest/group/${path}/grants`), 401, 410)
      expectFault(await get(editor, `/rest/group/${path}/grants`), 401, 304)
    }
  })

  test('rejects for a group that does not exist with 51, and for no ID with 52', async () => {
    const missing = uniqueName('missing')
    expectFault(await get(creator, `/rest/group/${missing}/grants`), 404, 51, missing)
    expectFault(await get(creator, '/rest/group/99999999/grants'), 404, 51, '99999999')
    expectFault(await get(creator, '/rest/group/0/grants'), 400, 52)
  })
})
