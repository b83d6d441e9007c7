import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, put } from '../../support/client.ts'
import { executeBatch } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editcomponents'] })

async function readProduct(id: number) {
  return (await get(ANYONE, `/rest/product/${id}`)).body.products[0]
}

describe('PUT /product', () => {
  test('reports the change by the names of the input, and nothing else', async () => {
    const { id, name } = await insertProduct()
    const renamed = uniqueName('Renamed')
    const answer = await put(editor, `/rest/product/${name}`, {
      name: renamed,
      description: 'Something else',
      default_bug_type: 'task',
      default_version: '1.0',
      default_milestone: '---',
      has_unconfirmed: false,
      is_open: false,
    })
    const changes = {
      name: { removed: name, added: renamed },
      description: { removed: `What ${name} is`, added: 'Something else' },
      default_bug_type: { removed: 'defect', added: 'task' },
      default_version: { removed: 'unspecified', added: '1.0' },
      has_unconfirmed: { removed: '1', added: '0' },
      is_open: { removed: '1', added: '0' },
    }
    expect(answer.body).toEqual({ products: [{ id, changes }] })
    expect(await readProduct(id)).toMatchObject({
      name: renamed,
      default_bug_type: 'task',
      default_version: '1.0',
      has_unconfirmed: false,
      is_active: false,
    })
    expect(await loadAuditEntries('Product', id)).toEqual([
      { user_id: editor.id, action: 'update', changes },
    ])
    expect(await loadRevision('products', id)).toBe(1)
  })

  test('changes several products by path, ids and names, and answers them in that order', async () => {
    const [one, two, three] = [await insertProduct(), await insertProduct(), await insertProduct()]
    const answer = await put(editor, `/rest/product/${three.name.toUpperCase()}`, {
      ids: [two.id, three.id],
      names: [one.name.toUpperCase(), two.name],
      description: 'The same',
    })
    expect(answer.body.products.map((each: { id: number }) => each.id)).toEqual([
      three.id,
      two.id,
      one.id,
    ])
    for (const { id } of [one, two, three]) {
      expect((await readProduct(id)).description).toBe('The same')
    }
  })

  test('changes many products in two round trips, each with its own versions', async () => {
    const places = await Promise.all(Array.from({ length: 30 }, () => insertProduct()))
    const already = places[3] ?? (await insertProduct())
    await put(editor, `/rest/product/${already.id}`, { default_version: '1.0' })
    const body = { names: places.map(({ name }) => name), version: '1.0', default_milestone: '---' }
    const answer = await put(editor, `/rest/product/${already.id}`, body)
    const changed = answer.body.products.filter(
      ({ changes }: { changes: object }) => Object.keys(changes).length > 0,
    )
    expect(changed).toHaveLength(29)
    expect(answer.cost.trips).toBe(2)
    expect(answer.cost.statements).toBeLessThan(places.length + 20)
    const ids = places.map(({ id }) => `ids=${id}`).join('&')
    const { products } = (await get(ANYONE, `/rest/product?${ids}`)).body
    expect(
      new Set(products.map((each: { default_version: string }) => each.default_version)),
    ).toEqual(new Set(['1.0']))
    expect(await loadRevision('products', already.id)).toBe(1)
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const { id, name } = await insertProduct()
    const same = { name, default_version: 'unspecified', is_open: true, default_bug_type: 'defect' }
    for (const body of [{}, same]) {
      const answer = await put(editor, `/rest/product/${id}`, body)
      expect(answer.body).toEqual({ products: [{ id, changes: {} }] })
    }
    expect(await loadRevision('products', id)).toBe(0)
    expect(await loadAuditEntries('Product', id)).toEqual([])
  })

  test('accepts the older name of the default version', async () => {
    const { id } = await insertProduct()
    await put(editor, `/rest/product/${id}`, { version: '1.0' })
    expect((await readProduct(id)).default_version).toBe('1.0')
  })

  test('sets the default type of the installation for an unknown type', async () => {
    const { id } = await insertProduct()
    await put(editor, `/rest/product/${id}`, { default_bug_type: 'task' })
    await put(editor, `/rest/product/${id}`, { default_bug_type: 'nonsense' })
    expect((await readProduct(id)).default_bug_type).toBe('defect')
  })

  test('accepts its own name in another case', async () => {
    const { id, name } = await insertProduct()
    await put(editor, `/rest/product/${id}`, { name: name.toUpperCase() })
    expect((await readProduct(id)).name).toBe(name.toUpperCase())
  })

  test('keeps every change of concurrent requests', async () => {
    const { id } = await insertProduct()
    await Promise.all([
      put(editor, `/rest/product/${id}`, { description: 'from one' }),
      put(editor, `/rest/product/${id}`, { default_version: '1.0' }),
      put(editor, `/rest/product/${id}`, { has_unconfirmed: false }),
    ])
    expect(await readProduct(id)).toMatchObject({
      description: 'from one',
      default_version: '1.0',
      has_unconfirmed: false,
    })
    expect(await loadRevision('products', id)).toBe(3)
  })
})

describe('PUT /product', () => {
  test('rejects a name that another has with 702', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    const answer = await put(editor, `/rest/product/${one.id}`, { name: two.name.toUpperCase() })
    expectFault(answer, 400, 702)
  })

  test('rejects one name for several with 702, and changes none', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    const body = { ids: [two.id], name: uniqueName('Both'), description: 'x' }
    expectFault(await put(editor, `/rest/product/${one.id}`, body), 400, 702)
    expect((await readProduct(one.id)).name).toBe(one.name)
  })

  test('rejects all when one lacks the version with 706, and changes none', async () => {
    const [one, two] = [await insertProduct(), await insertProduct()]
    const name = uniqueName('v')
    await executeBatch(sql`INSERT INTO versions (product_id, name, name_fold)
      VALUES (${one.id}, ${name}, ${name})`)
    const body = { ids: [two.id], default_version: name, description: 'x' }
    expectFault(await put(editor, `/rest/product/${one.id}`, body), 400, 706)
    expect(await loadRevision('products', one.id)).toBe(0)
  })

  test('rejects more than 500 at once with 53', async () => {
    const ids = Array.from({ length: 500 }, (_, i) => i + 1)
    expectFault(await put(editor, '/rest/product/1', { ids, is_open: true }), 400, 53, "'ids'")
  })

  test('rejects what does not exist with 106', async () => {
    const { id } = await insertProduct()
    expectFault(await put(editor, '/rest/product/NoSuch', {}), 401, 106, "'NoSuch'")
    expectFault(await put(editor, '/rest/product/999999999', {}), 401, 106, '999999999')
    const body = { names: ['NoSuch'], description: 'x' }
    expectFault(await put(editor, `/rest/product/${id}`, body), 401, 106)
    expect(await loadRevision('products', id)).toBe(0)
  })
})

describe('PUT /product', () => {
  test('hides those that the caller may not know of, as if they did not exist: 106', async () => {
    const control = { group: await insertGroup(), entry: true, memberControl: 3, otherControl: 3 }
    const { id } = await insertProduct({ controls: [control] })
    expectFault(await put(editor, `/rest/product/${id}`, { is_open: false }), 401, 106)
    expect(await loadRevision('products', id)).toBe(0)
  })
})
