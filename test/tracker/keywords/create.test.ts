import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { buildBugBody } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { countRows } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'

const editor = await insertPerson({ roles: ['editkeywords'] })

describe('POST /keyword', () => {
  test('creates a keyword that is listed, can be given to bugs, and is recorded', async () => {
    const name = uniqueName('keyword')
    const made = await post(editor, '/rest/keyword', { name, description: 'x' })
    expect({ status: made.status, body: made.body }).toEqual({
      status: 201,
      body: { id: expect.any(Number) },
    })
    const body = buildBugBody(await insertProduct(), { keywords: [name] })
    const bug = await post(await insertPerson({ roles: ['editbugs'] }), '/rest/bug', body)
    const { bugs } = (await get(ANYONE, `/rest/bug/${bug.body.id}`)).body
    expect(bugs[0].keywords).toEqual([name])
    expect(await loadAuditEntries('Keyword', made.body.id)).toMatchObject([
      { user_id: editor.id, action: 'create', changes: { name: { removed: '', added: name } } },
    ])
  })

  test('creates an inactive keyword', async () => {
    const name = uniqueName('keyword')
    const body = { name, description: 'x', is_active: false }
    const { id } = (await post(editor, '/rest/keyword', body)).body
    const { keywords } = (await get(ANYONE, '/rest/keyword')).body
    expect(keywords).toContainEqual(expect.objectContaining({ id, is_active: false }))
  })
})

describe('POST /keyword', () => {
  test('rejects a taken name in any case with 32000', async () => {
    const name = uniqueName('keyword')
    const body = { name, description: 'x' }
    const answers = await Promise.all([1, 2].map(() => post(editor, '/rest/keyword', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
    const upper = { ...body, name: name.toUpperCase() }
    expectFault(await post(editor, '/rest/keyword', upper), 400, 32_000, name.toUpperCase())
    expect(await countRows('keywords', sql`name = ${name}`)).toBe(1)
  })
})
