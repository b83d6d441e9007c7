import { beforeAll, describe, expect, test } from 'vitest'
import { ANYONE, expectFault, post, send } from '../support/client.ts'
import { auditOf, revisionOf } from '../support/structure.ts'
import { newBug, person, product, type TestPerson, unique } from '../support/world.ts'

let editor: TestPerson

beforeAll(async () => {
  editor = await person({ roles: ['editkeywords', 'editbugs'] })
})

async function keyword() {
  const name = unique('keyword')
  const { id } = (await post(editor, '/rest/keyword', { name, description: 'x' })).body
  return { id: Number(id), name, path: `/rest/keyword/${name}` }
}

test('a keyword that no bug has is removed, and recorded', async () => {
  const { id, name, path } = await keyword()
  expect((await send(editor, 'DELETE', path)).body).toEqual({ success: 1 })
  expect(await revisionOf('keywords', id)).toBeUndefined()
  const [, entry] = await auditOf('Keyword', id)
  expect(entry).toMatchObject({ action: 'remove', changes: { name: { removed: name, added: '' } } })
})

describe('the removal of a keyword refuses', () => {
  test('one that bugs have: 32000', async () => {
    const { id, name, path } = await keyword()
    await post(editor, '/rest/bug', newBug(await product(), { keywords: [name] }))
    expectFault(await send(editor, 'DELETE', path), 400, 32_000, name)
    expect(await revisionOf('keywords', id)).toBe(0)
  })

  test('one that does not exist: 51', async () => {
    const { path } = await keyword()
    await send(editor, 'DELETE', path)
    expectFault(await send(editor, 'DELETE', path), 404, 51)
  })

  test('who may not: 304, and who has not logged in: 410', async () => {
    const { id, path } = await keyword()
    expectFault(await send(await person(), 'DELETE', path), 401, 304)
    expectFault(await send(ANYONE, 'DELETE', path), 401, 410)
    expect(await revisionOf('keywords', id)).toBe(0)
  })
})
