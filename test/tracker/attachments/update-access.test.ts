import { beforeEach, describe, expect, test } from 'vitest'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { ANYONE, expectFault, put } from '../../support/client.ts'
import { updateAttachment } from '../../support/clients/attachments.ts'
import { buildAttachmentWorld, postOldAttachment } from '../../support/worlds/old-attachment.ts'

let bug: number
let id: number

const { place, author, editor, insider, stranger } = await buildAttachmentWorld()

beforeEach(async () => {
  ;({ bug, id } = await postOldAttachment(author, place))
})

async function readChanges(who: TestPerson, body: Record<string, unknown>, of = id) {
  const answer = await updateAttachment(who, of, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.attachments[0].changes
}

describe('PUT /bug/attachment/:id', () => {
  test('rejects anonymous callers', async () => {
    expectFault(await put(ANYONE, '/rest/bug/attachment/999999999', {}), 401, 410)
  })

  test('rejects strangers, but neither assignee nor QA contact', async () => {
    expectFault(await updateAttachment(stranger, id, { summary: 'Mine' }), 401, 109, String(id))
    expectFault(await updateAttachment(stranger, id, { comment: 'x' }), 401, 109)
    await updateBugRow(bug, { assigned_to_id: stranger.id })
    expect(await readChanges(stranger, { summary: 'Mine' })).toHaveProperty('summary')
    const contact = await insertPerson()
    await updateBugRow(bug, { qa_contact_id: contact.id })
    expect(await readChanges(contact, { summary: 'Ours' })).toHaveProperty('summary')
  })

  test('rejects all but members of a group that edits bugs in the product', async () => {
    const member = await insertPerson()
    const team = await insertGroup([member])
    const own = await insertProduct({ controls: [{ group: team, editBugs: true }] })
    const there = await postAttachment(author, await postBug(author, own))
    expect(await readChanges(member, { summary: 'Ours' }, there)).toHaveProperty('summary')
    expectFault(await updateAttachment(stranger, there, { summary: 'Mine' }), 401, 109)
  })

  test('rejects a product that the caller may not edit', async () => {
    const member = await insertPerson()
    const team = await insertGroup([member])
    const closed = await insertProduct({ controls: [{ group: team, canEdit: true }] })
    const there = await postAttachment(member, await postBug(member, closed))
    expectFault(await updateAttachment(editor, there, { summary: 'x' }), 401, 109, closed.name)
  })
})

describe('PUT /bug/attachment/:id', () => {
  test('hides attachments of hidden bugs', async () => {
    await restrictBug(bug, await insertGroup())
    const answer = await updateAttachment(editor, id, { summary: 'x' })
    expectFault(answer, 401, 102, `attachment ${id}`)
    expect(answer.text).not.toContain(`bug ${bug}`)
  })

  test('hides private attachments from all but insiders and who submitted them', async () => {
    await readChanges(insider, { is_private: true })
    expectFault(await updateAttachment(editor, id, { summary: 'x' }), 401, 304)
    expect(await readChanges(author, { summary: 'Mine still' })).toHaveProperty('summary')
  })
})
