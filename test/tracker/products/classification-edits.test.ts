import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put, send } from '../../support/client.ts'
import { countRows } from '../../support/database/execute.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editclassifications', 'editcomponents'] })

async function classification(name = uniqueName('Class')) {
  const made = await post(editor, '/rest/classification', { name, description: 'old' })
  expect(made.status, made.text).toBe(201)
  return { id: Number(made.body.id), name, path: `/rest/classification/${made.body.id}` }
}

/** A product of that classification. */
async function productIn(name: string): Promise<number> {
  const body = { name: uniqueName('Product'), description: 'x', classification: name }
  return (await post(editor, '/rest/product', body)).body.id
}

const sendRemoval = (sender: { key?: string }, path: string) => send(sender, 'DELETE', path)

describe('writing /classification', () => {
  test('creates a classification that takes products', async () => {
    const { id, name } = await classification()
    const product = await productIn(name.toUpperCase())
    const { products } = (await get(ANYONE, `/rest/product/${product}`)).body
    expect(products[0].classification).toBe(name)
    expect(await loadAuditEntries('Classification', id)).toMatchObject([
      { user_id: editor.id, action: 'create', changes: { name: { removed: '', added: name } } },
    ])
  })

  test('renames a classification, in its products too', async () => {
    const { id, name, path } = await classification()
    const product = await productIn(name)
    const renamed = uniqueName('Renamed')
    const changes = {
      name: { removed: name, added: renamed },
      description: { removed: 'old', added: 'new' },
      sort_key: { removed: '0', added: '-4' },
    }
    const body = { name: renamed, description: 'new', sort_key: -4 }
    const answer = await put(editor, `/rest/classification/${name.toUpperCase()}`, body)
    expect(answer.body).toEqual({ classifications: [{ id, changes }] })
    const { products } = (await get(ANYONE, `/rest/product/${product}`)).body
    expect(products[0].classification).toBe(renamed)
    expect(await loadRevision('classifications', id)).toBe(1)
    expect((await put(editor, path, body)).body.classifications[0].changes).toEqual({})
    expect(await loadRevision('classifications', id)).toBe(1)
    expect(await loadAuditEntries('Classification', id)).toHaveLength(2)
  })

  test('removes an empty classification', async () => {
    const { id, name, path } = await classification()
    expect((await sendRemoval(editor, path)).body).toEqual({ success: 1 })
    expect(await loadRevision('classifications', id)).toBeUndefined()
    expect(await loadAuditEntries('Classification', id)).toMatchObject([
      { action: 'create' },
      { action: 'remove', changes: { name: { removed: name, added: '' } } },
    ])
  })

  test('keeps every change of concurrent requests', async () => {
    const { id, path } = await classification()
    await Promise.all([
      put(editor, path, { description: 'new' }),
      put(editor, path, { sort_key: 3 }),
    ])
    expect(
      await countRows('classifications', sql`id = ${id} AND description = 'new' AND sort_key = 3`),
    ).toBe(1)
  })
})

describe('writing /classification', () => {
  test('rejects a missing or blank name with 50, one too long and a sort key out of range with 53', async () => {
    const { path } = await classification()
    expectFault(await post(editor, '/rest/classification', {}), 400, 50, 'name')
    for (const [body, code] of [
      [{ name: ' ' }, 50],
      [{ name: 'x'.repeat(65) }, 53],
      [{ name: 'x', sort_key: 40_000 }, 53],
    ] as const) {
      expectFault(await post(editor, '/rest/classification', body), 400, code)
      expectFault(await put(editor, path, body), 400, code)
    }
  })

  test('rejects a taken name in any case with 32000', async () => {
    const [one, two] = [await classification(), await classification()]
    const body = { name: two.name.toUpperCase() }
    expectFault(await post(editor, '/rest/classification', body), 400, 32_000, body.name)
    expectFault(await put(editor, one.path, body), 400, 32_000, body.name)
  })

  test('rejects to be removed with products in them, or as the first with 32000', async () => {
    const { id, name, path } = await classification()
    await productIn(name)
    expectFault(await sendRemoval(editor, path), 400, 32_000, name)
    expectFault(await sendRemoval(editor, '/rest/classification/1'), 400, 32_000, 'Unclassified')
    expect(await countRows('classifications', sql`id IN (1, ${id})`)).toBe(2)
  })

  test('rejects what does not exist with 51', async () => {
    for (const path of ['/rest/classification/NoSuch', '/rest/classification/999999999']) {
      expectFault(await put(editor, path, {}), 404, 51)
      expectFault(await sendRemoval(editor, path), 404, 51)
    }
  })

  test('rejects callers without the right with 304 and anonymous callers with 410', async () => {
    const { id, path } = await classification()
    for (const [who, code] of [
      [await insertPerson({ roles: ['editcomponents'] }), 304],
      [ANYONE, 410],
    ] as const) {
      expectFault(await post(who, '/rest/classification', { name: uniqueName('x') }), 401, code)
      expectFault(await put(who, path, { name: uniqueName('x') }), 401, code)
      expectFault(await sendRemoval(who, path), 401, code)
    }
    expect(await loadRevision('classifications', id)).toBe(0)
  })

  test('rejects to go while a product is made in them: one of both happens', async () => {
    const { id, name, path } = await classification()
    const body = { name: uniqueName('Product'), description: 'x', classification: name }
    const [made, removed] = await Promise.all([
      post(editor, '/rest/product', body),
      sendRemoval(editor, path),
    ])
    const statuses = [made.status, removed.status].join(' and ')
    expect(['201 and 400', '404 and 200']).toContain(statuses)
    const inIt = await countRows('products', sql`classification_id = ${id}`)
    expect(await countRows('classifications', sql`id = ${id}`)).toBe(inIt)
  })
})
