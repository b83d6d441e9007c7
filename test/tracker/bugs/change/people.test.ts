import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { postBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { insertPerson } from '../../../support/builders/people.ts'
import { insertProduct } from '../../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../../support/builders/types.ts'
import { put } from '../../../support/client.ts'
import { changeBug } from '../../../support/clients/bugs.ts'
import { expectRefusal } from '../../../support/clients/refusals.ts'
import { execute } from '../../../support/database/execute.ts'

const editor = await insertPerson({ roles: ['editbugs'] })
const reporter = await insertPerson()
const place = await insertProduct()

describe('PUT /bug with assigned_to', () => {
  test('takes null for an assignee that is not given', async () => {
    const id = await postBug(editor, place, { assigned_to: reporter.login })
    const body = { assigned_to: null, whiteboard: 'x' }
    expect(await changeBug(editor, id, body)).toEqual({ whiteboard: { removed: '', added: 'x' } })
  })
})

describe('PUT /bug with reset_assigned_to and reset_qa_contact', () => {
  let home: TestProduct
  let owner: TestPerson
  let contact: TestPerson

  beforeAll(async () => {
    owner = await insertPerson()
    contact = await insertPerson()
    home = await insertProduct({ assignee: owner })
    await execute(sql`UPDATE components SET default_qa_contact_id = ${contact.id}
      WHERE product_id = ${home.id}`)
  })

  test('gives the bug back to the default people of its component', async () => {
    const id = await postBug(editor, home, { assigned_to: editor.login, qa_contact: editor.login })
    const both = { reset_assigned_to: true, reset_qa_contact: 1 }
    expect(await changeBug(editor, id, both)).toEqual({
      assigned_to: { removed: editor.login, added: owner.login },
      qa_contact: { removed: editor.login, added: contact.login },
    })
    expect(await changeBug(editor, id, { ...both, assigned_to: editor.login })).toEqual({})
    expect(await changeBug(editor, id, { reset_assigned_to: false, reset_qa_contact: 0 })).toEqual(
      {},
    )
  })

  test('removes the QA contact when the component has none', async () => {
    const id = await postBug(editor, place, { qa_contact: editor.login })
    expect(await changeBug(editor, id, { reset_qa_contact: true })).toEqual({
      qa_contact: { removed: editor.login, added: '' },
    })
  })

  test('rejects reporters with 115', async () => {
    const id = await postBug(reporter, home)
    await updateBugRow(id, { assigned_to_id: editor.id, qa_contact_id: editor.id })
    for (const field of ['assigned_to', 'qa_contact']) {
      const body = { [`reset_${field}`]: true }
      await expectRefusal(() => put(reporter, `/rest/bug/${id}`, body), 115, `'${field}'`)
    }
  })
})
