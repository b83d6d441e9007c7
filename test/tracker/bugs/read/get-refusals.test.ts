import { describe, test } from 'vitest'
import { insertBug, postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertGroup } from '../../../support/builders/groups.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../../support/client.ts'

const reporter = await insertPerson({ realName: 'Rita Reporter [:rita]' })
const editor = await insertPerson({ roles: ['editbugs'] })
const stranger = await insertPerson()
const member = await insertPerson()
const secret = await insertGroup([member])
const place = await insertProduct({ assignee: editor })

describe('GET /bug/:id', () => {
  test.each([
    ['0', 400, 100],
    ['%20', 400, 100],
    ['-1', 400, 100],
    ['1.5', 400, 100],
    ['12a', 400, 100],
    ['no-such-alias', 400, 100],
    ['%2523', 400, 100],
    ['2147483647', 404, 101],
    ['2147483648', 404, 101],
    ['99999999999999999999999', 404, 101],
  ])('rejects the ID %s with %i and %i', async (name, status, code) => {
    for (const who of [ANYONE, stranger]) {
      expectFault(await get(who, `/rest/bug/${name}`), status, code)
    }
  })

  test('rejects a bug that the caller may not see with 102, by ID and by alias', async () => {
    const { id } = await insertBug({ groups: [secret] })
    const alias = uniqueName('alias')
    await updateBugRow(id, { alias, alias_fold: alias.toLowerCase() })

    for (const name of [id, alias]) {
      expectFault(await get(ANYONE, `/rest/bug/${name}`), 401, 102, 'Signing in')
      expectFault(await get(stranger, `/rest/bug/${name}`), 401, 102, String(name))
    }
  })

  test('rejects all bugs with the fault of the first wrong one', async () => {
    const id = await postBug(reporter, place)
    const { id: hidden } = await insertBug({ groups: [secret] })

    expectFault(await get(ANYONE, `/rest/bug/${id}?ids=${hidden}&ids=no-such`), 401, 102)
    expectFault(await get(ANYONE, `/rest/bug/${id}?ids=no-such&ids=${hidden}`), 400, 100)
    expectFault(await get(ANYONE, `/rest/bug/no-such?ids=${id}`), 400, 100)
  })
})
