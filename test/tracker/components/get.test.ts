import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { executeBatch } from '../../support/database/execute.ts'

describe('GET /component', () => {
  test('is public, by path or query, in any case', async () => {
    const ann = await insertPerson()
    const { name, component } = await insertProduct({ assignee: ann })
    for (const path of [
      `/${name}/${component}`,
      `/${name.toUpperCase()}/${component.toUpperCase()}`,
      `?product=${name}&component=${component}`,
    ]) {
      const answer = await get(ANYONE, `/rest/component${path}`)
      expect(answer.body, path).toMatchObject({ name: component, default_assignee: ann.login })
      expect(answer.body.bug_description_template).toBe('')
    }
  })

  test('may have slashes in its name', async () => {
    const place = await insertProduct()
    const name = uniqueName('A/B/C')
    await executeBatch(sql`UPDATE components SET name = ${name}, name_fold = ${name.toLowerCase()}
      WHERE product_id = ${place.id}`)
    expect((await get(ANYONE, `/rest/component/${place.name}/${name}`)).body.name).toBe(name)
    const escaped = encodeURIComponent(name)
    expect((await get(ANYONE, `/rest/component/${place.name}/${escaped}`)).body.name).toBe(name)
  })

  test('has the type of the product, unless it has its own', async () => {
    const place = await insertProduct()
    const typed = (table: string, type: string) =>
      executeBatch(sql`UPDATE ${sql.raw(table)} SET default_type_id = (SELECT v.id FROM field_values v
        JOIN fields f ON f.id = v.field_id WHERE f.name = 'bug_type' AND v.name = ${type})
        WHERE ${sql.raw(table === 'products' ? 'id' : 'product_id')} = ${place.id}`)
    const path = `/rest/component/${place.name}/${place.component}`
    expect((await get(ANYONE, path)).body.default_bug_type).toBe('defect')
    await typed('products', 'task')
    expect((await get(ANYONE, path)).body.default_bug_type).toBe('task')
    await typed('components', 'enhancement')
    expect((await get(ANYONE, path)).body.default_bug_type).toBe('enhancement')
  })

  test('shows the selected fields alone', async () => {
    const { name, component } = await insertProduct()
    const { body } = await get(ANYONE, `/rest/component/${name}/${component}?include_fields=name`)
    expect(body).toEqual({ name: component })
  })
})

describe('GET /component', () => {
  test('rejects to be read without a product or a name with 50', async () => {
    const { name } = await insertProduct()
    expectFault(await get(ANYONE, '/rest/component'), 400, 50, 'product')
    expectFault(await get(ANYONE, `/rest/component?product=${name}`), 400, 50, 'component')
    expectFault(await get(ANYONE, `/rest/component?product=${name}&component=+`), 400, 50)
  })

  test('rejects names that do not exist: 106 for a product, 51 for a component', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    expectFault(await get(ANYONE, '/rest/component/NoSuch/x'), 401, 106, 'NoSuch')
    expectFault(await get(ANYONE, `/rest/component/${one.name}/NoSuch`), 404, 51, 'NoSuch')
    expectFault(await get(ANYONE, `/rest/component/${one.name}/${two.component}`), 404, 51)
  })
})

describe('GET /component', () => {
  test('hides the components of a hidden product with 106, whether they exist or not', async () => {
    const member = await insertPerson()
    const own = await insertGroup([member])
    const control = { group: own, entry: true, memberControl: 3, otherControl: 3 }
    const { name, component } = await insertProduct({ controls: [control] })
    const path = `/rest/component/${name}/${component}`
    expect((await get(member, path)).status).toBe(200)
    expectFault(await get(await insertPerson(), path), 401, 106)
    expectFault(await get(ANYONE, path), 401, 106)
    expectFault(await get(ANYONE, `/rest/component/${name}/NoSuch`), 401, 106)
  })

  test('hides the domains of addresses from anonymous callers with 410, where the site wants that', async () => {
    const ann = await insertPerson()
    const { name, component } = await insertProduct({ assignee: ann })
    const answer = await fetchWith(
      { HIDE_EMAIL_DOMAINS: 'true' },
      `/rest/component/${name}/${component}`,
    )
    expect(await answer.json()).toMatchObject({ default_assignee: ann.login.split('@')[0] })
  })
})
