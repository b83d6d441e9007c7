import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post, put } from '../../support/client.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editkeywords', 'editbugs'] })

async function keyword(name = uniqueName('keyword')) {
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'old' })).body
  return { id: Number(id), name, path: `/rest/keyword/${name.toUpperCase()}` }
}

describe('PUT /keyword', () => {
  test('reports and records the change, and steps the revision', async () => {
    const { id, name, path } = await keyword()
    const renamed = uniqueName('renamed')
    const body = { name: renamed, description: 'new', is_active: false }
    const changes = {
      name: { removed: name, added: renamed },
      description: { removed: 'old', added: 'new' },
      is_active: { removed: '1', added: '0' },
    }
    expect((await put(editor, path, body)).body).toEqual({ keywords: [{ id, changes }] })
    expect(await loadRevision('keywords', id)).toBe(1)
    const [, entry] = await loadAuditEntries('Keyword', id)
    expect(entry).toEqual({ user_id: editor.id, action: 'update', changes })
  })

  test('writes nothing and reports no change when nothing differs', async () => {
    const { id, name, path } = await keyword()
    const answer = await put(editor, path, { name, is_active: true })
    expect(answer.body).toEqual({ keywords: [{ id, changes: {} }] })
    expect(await loadRevision('keywords', id)).toBe(0)
  })

  test('reads a number as an ID, or as a name when no ID fits', async () => {
    const { id } = await keyword()
    const number = String(900_000_000 + Math.floor(Math.random() * 9_999_999))
    const numbered = await keyword(number)
    expect((await put(editor, `/rest/keyword/${id}`, {})).body.keywords[0].id).toBe(id)
    const answer = await put(editor, `/rest/keyword/${number}`, {})
    expect(answer.body.keywords[0].id).toBe(numbered.id)
  })

  test('bugs show the new name', async () => {
    const { name, path } = await keyword()
    const body = buildBugBody(await insertProduct(), { keywords: [name] })
    const bug = (await post(editor, '/rest/bug', body)).body.id
    const renamed = uniqueName('renamed')
    await put(editor, path, { name: renamed })
    expect((await get(editor, `/rest/bug/${bug}`)).body.bugs[0].keywords).toEqual([renamed])
  })

  test('keeps every change of concurrent requests', async () => {
    const { id, path } = await keyword()
    await Promise.all([
      put(editor, path, { description: 'new' }),
      put(editor, path, { is_active: false }),
    ])
    const { keywords } = (await get(ANYONE, '/rest/keyword')).body
    expect(keywords).toContainEqual(
      expect.objectContaining({ id, description: 'new', is_active: false }),
    )
  })
})

describe('PUT /keyword', () => {
  test('rejects a name that another has with 32000', async () => {
    const [one, two] = [await keyword(), await keyword()]
    expectFault(await put(editor, one.path, { name: two.name.toUpperCase() }), 400, 32_000)
  })
})
