import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, post, send } from '../../support/client.ts'
import { loadAuditEntries, loadRevision } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editkeywords', 'editbugs'] })

async function keyword() {
  const name = uniqueName('keyword')
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'x' })).body
  return { id: Number(id), name, path: `/rest/keyword/${name}` }
}

test('a keyword that no bug has is removed, and recorded', async () => {
  const { id, name, path } = await keyword()
  expect((await send(editor, 'DELETE', path)).body).toEqual({ success: 1 })
  expect(await loadRevision('keywords', id)).toBeUndefined()
  const [, entry] = await loadAuditEntries('Keyword', id)
  expect(entry).toMatchObject({ action: 'remove', changes: { name: { removed: name, added: '' } } })
})

describe('DELETE /keyword', () => {
  test('rejects one that bugs have with 32000', async () => {
    const { id, name, path } = await keyword()
    await post(editor, '/rest/bug', buildBugBody(await insertProduct(), { keywords: [name] }))
    expectFault(await send(editor, 'DELETE', path), 400, 32_000, name)
    expect(await loadRevision('keywords', id)).toBe(0)
  })

  test('rejects one that does not exist with 51', async () => {
    const { path } = await keyword()
    await send(editor, 'DELETE', path)
    expectFault(await send(editor, 'DELETE', path), 404, 51)
  })

  test('rejects callers without the right with 304 and anonymous callers with 410', async () => {
    const { id, path } = await keyword()
    expectFault(await send(await insertPerson(), 'DELETE', path), 401, 304)
    expectFault(await send(ANYONE, 'DELETE', path), 401, 410)
    expect(await loadRevision('keywords', id)).toBe(0)
  })
})
