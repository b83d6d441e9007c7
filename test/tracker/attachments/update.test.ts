import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { openSession } from '../../../src/platform/db/session.ts'
import {
  updateAttachmentInput,
  updateAttachments,
} from '../../../src/tracker/attachments/update.ts'
import { postAttachment } from '../../support/builders/attachments.ts'
import { postBug } from '../../support/builders/bugs.ts'
import { buildCtx } from '../../support/builders/callers.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { expectFault, get } from '../../support/client.ts'
import { readAttachment, updateAttachment } from '../../support/clients/attachments.ts'
import { loadBugRow, loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { loadFootprint } from '../../support/database/footprint.ts'
import { openFailingSession, openInterruptedSession } from '../../support/fakes/sessions.ts'
import {
  buildAttachmentWorld,
  LONG_AGO,
  postOldAttachment,
} from '../../support/worlds/old-attachment.ts'

const THEN = new Date(LONG_AGO * 1000).toISOString().replace('.000', '')

let place: TestProduct
let author: TestPerson
let editor: TestPerson
let insider: TestPerson
let stranger: TestPerson
let bug: number
let id: number

beforeAll(async () => {
  ;({ place, author, editor, insider, stranger } = await buildAttachmentWorld())
})

beforeEach(async () => {
  ;({ bug, id } = await postOldAttachment(author, place))
})

const loadHistory = async (of = bug) =>
  (await loadRowsOfBug('history', of)).map((row) => [
    row.attachment_id,
    row.field,
    row.removed,
    row.added,
  ])

async function readChanges(who: TestPerson, body: Record<string, unknown>, of = id) {
  const answer = await updateAttachment(who, of, body)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.attachments[0].changes
}

describe('PUT /bug/attachment/:id', () => {
  test('reports the change and its time in two round trips, with history and a notice', async () => {
    const answer = await updateAttachment(author, id, {
      summary: ' Better ',
      file_name: 'dir/b.png',
      content_type: 'image/png',
      is_obsolete: 1,
    })
    expect(answer).toMatchObject({ status: 200, cost: { trips: 2 } })
    const { changed_at: at } = await loadBugRow(bug)
    expect(at).toBeGreaterThan(LONG_AGO)
    expect(answer.body.attachments).toEqual([
      {
        id,
        last_change_time: new Date(Number(at) * 1000).toISOString().replace('.000', ''),
        changes: {
          summary: { removed: 'A file', added: 'Better' },
          file_name: { removed: 'file.txt', added: 'b.png' },
          content_type: { removed: 'text/plain', added: 'image/png' },
          is_obsolete: { removed: '0', added: '1' },
        },
      },
    ])
    expect(await loadHistory()).toEqual([
      [id, 'attachments.description', 'A file', 'Better'],
      [id, 'attachments.filename', 'file.txt', 'b.png'],
      [id, 'attachments.mimetype', 'text/plain', 'image/png'],
      [id, 'attachments.isobsolete', '0', '1'],
    ])
    const [notice] = await loadRowsOfBug('notices', bug)
    expect(notice).toMatchObject({ kind: 'changed', author_id: author.id, is_minor: 0 })
    expect((await loadRowsOfBug('history', bug))[0]).toMatchObject({
      notice_id: notice?.id,
      changed_at: at,
      removed_fold: 'a file',
      added_fold: 'better',
    })
    expect(await readAttachment(author, id)).toMatchObject({
      summary: 'Better',
      file_name: 'b.png',
      content_type: 'image/png',
      is_obsolete: true,
      creation_time: THEN,
      last_change_time: answer.body.attachments[0].last_change_time,
    })
    const [row] = await execute(
      sql`SELECT summary_fold, revision FROM attachments WHERE id = ${id}`,
    )
    expect(row).toEqual({ summary_fold: 'better', revision: 1 })
  })

  test('reports no change and the old time when nothing differs', async () => {
    const same = {
      summary: 'A file',
      file_name: 'file.txt',
      content_type: 'text/plain',
      is_patch: false,
      is_private: false,
      is_obsolete: '0',
      flags: [],
      bug_flags: [],
      comment: ' ',
    }
    const answer = await updateAttachment(author, id, same)
    expect(answer.body.attachments).toEqual([{ id, last_change_time: THEN, changes: {} }])
    expect([await loadHistory(), await loadRowsOfBug('notices', bug)]).toEqual([[], []])
    expect((await loadBugRow(bug)).changed_at).toBe(LONG_AGO)
  })

  test('keeps the time of the attachment when it is only commented on', async () => {
    const answer = await updateAttachment(author, id, {
      comment: 'Look again.',
      is_markdown: false,
    })
    expect(answer.body.attachments).toEqual([{ id, last_change_time: THEN, changes: {} }])
    expect((await loadRowsOfBug('comments', bug))[2]).toMatchObject({
      kind: 'attachment_updated',
      attachment_id: id,
      body: 'Look again.',
      is_private: 0,
      is_markdown: 0,
    })
    const { body } = await get(author, `/rest/bug/${bug}/comment`)
    expect(body.bugs[bug].comments[2].text).toBe(
      `Comment on attachment ${id}\nA file\n\nLook again.`,
    )
    expect((await loadBugRow(bug)).changed_at).toBeGreaterThan(LONG_AGO)
  })

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    [
      'a patch becomes plain text',
      { is_patch: true },
      {
        content_type: { removed: 'image/png', added: 'text/plain' },
        is_patch: { removed: '0', added: '1' },
      },
    ],
    [
      'a patch stays plain text',
      { is_patch: true, content_type: 'no type' },
      {
        content_type: { removed: 'image/png', added: 'text/plain' },
        is_patch: { removed: '0', added: '1' },
      },
    ],
    [
      'another type',
      { content_type: 'image/gif', is_patch: false },
      { content_type: { removed: 'image/png', added: 'image/gif' } },
    ],
  ])('answers %s', async (_, body, expected) => {
    await readChanges(author, { content_type: 'image/png' })
    expect(await readChanges(author, body)).toEqual(expected)
  })

  test('ignores another content type of a patch', async () => {
    await readChanges(author, { is_patch: true })
    expect(await readChanges(author, { content_type: 'image/png' })).toEqual({})
    expect(await readChanges(author, { is_patch: false, content_type: 'image/png' })).toMatchObject(
      {
        content_type: { removed: 'text/plain', added: 'image/png' },
      },
    )
  })

  test('changes attachments of several bugs, with a comment on each', async () => {
    const second = await postAttachment(author, bug, { summary: 'Second' })
    const other = await postBug(author, place)
    const third = await postAttachment(author, other, { summary: 'Third' })
    const body = { ids: [second, third, second], is_obsolete: true, comment: 'All done.' }
    const answer = await updateAttachment(editor, id, body)
    expect(answer.body.attachments.map((one: { id: number }) => one.id)).toEqual([
      id,
      second,
      third,
    ])
    expect((await loadHistory()).map(([attachment]) => attachment)).toEqual([id, second])
    expect(await loadRowsOfBug('notices', other)).not.toEqual([])
    const numbers = (await loadRowsOfBug('comments', bug)).map((row) => [
      row.number,
      row.attachment_id,
    ])
    expect(numbers).toEqual([
      [0, null],
      [1, id],
      [2, second],
      [3, id],
      [4, second],
    ])
  })

  test('lets insiders make an attachment private, with a private comment', async () => {
    expect(await readChanges(insider, { is_private: true, comment: 'Psst.' })).toEqual({
      is_private: { removed: '0', added: '1' },
    })
    expect((await loadRowsOfBug('comments', bug))[2]).toMatchObject({
      body: 'Psst.',
      is_private: 1,
    })
    expect(await readChanges(insider, { is_private: false })).toEqual({
      is_private: { removed: '1', added: '0' },
    })
  })

  test('lets only people who may change the whole bug make a minor change', async () => {
    await readChanges(author, { summary: 'One', minor_update: true })
    await readChanges(editor, { summary: 'Two', minor_update: true })
    expect((await loadRowsOfBug('notices', bug)).map((row) => row.is_minor)).toEqual([0, 1])
  })

  test('reports flags of the attachment and of its bug, and drops them with an obsolete attachment', async () => {
    const scope = [{ productId: place.id }]
    const review = await insertFlagType({ target: 'attachment' }, scope)
    const info = await insertFlagType({ target: 'bug' }, scope)
    const flags = [{ name: review.name, status: '?', requestee: editor.login }]
    const bugFlags = [{ name: info.name, status: '+' }]
    const answer = await updateAttachment(editor, id, { flags, bug_flags: bugFlags })
    expect(answer.status, answer.text).toBe(200)
    const [{ changes: changed, last_change_time: time }] = answer.body.attachments
    expect(changed).toEqual({
      'flagtypes.name': { removed: '', added: `${review.name}?(${editor.login})` },
    })
    expect(time).not.toBe(THEN)
    expect((await readAttachment(editor, id)).flags).toMatchObject([
      { name: review.name, status: '?', setter: editor.login, requestee: editor.login },
    ])
    expect(await readChanges(editor, { is_obsolete: true })).toMatchObject({
      is_obsolete: { added: '1' },
      'flagtypes.name': { removed: `${review.name}?(${editor.login})`, added: '' },
    })
    const made = await postAttachment(editor, bug, { flags })
    expect((await readAttachment(editor, made)).flags).toMatchObject([
      { name: review.name, status: '?' },
    ])
  })

  test('lets the requestee of a flag answer it, and change nothing else', async () => {
    const review = await insertFlagType({ target: 'attachment' }, [{ productId: place.id }])
    const flags = [{ name: review.name, status: '?', requestee: stranger.login }]
    await readChanges(author, { flags })
    const granted = { flags: [{ name: review.name, status: '+' }] }
    expectFault(await updateAttachment(stranger, id, { ...granted, summary: 'Mine' }), 401, 109)
    expectFault(
      await updateAttachment(stranger, id, { ...granted, bug_flags: granted.flags }),
      401,
      109,
    )
    const answer = { ...granted, bug_flags: [], comment: 'Fine.' }
    expect(await readChanges(stranger, answer)).toHaveProperty(['flagtypes.name'])
  })
})

describe('changes at once', () => {
  test('are decided one after the other, each on what is there', async () => {
    const session = openInterruptedSession(2, async () => {
      expect(await readChanges(editor, { summary: 'Theirs' })).toHaveProperty('summary')
    })
    const input = updateAttachmentInput.parse({ attachment_id: id, summary: 'Ours' })
    const answer = await updateAttachments.run(buildCtx(author, [], session), input)
    expect(answer.attachments[0]?.changes).toEqual({
      summary: { removed: 'Theirs', added: 'Ours' },
    })
    expect((await loadHistory()).map(([, , removed, added]) => [removed, added])).toEqual([
      ['A file', 'Theirs'],
      ['Theirs', 'Ours'],
    ])
  })

  test('that are interrupted leave nothing behind, at any statement', async () => {
    const input = updateAttachmentInput.parse({ attachment_id: id, summary: 'x', comment: 'y' })
    const before = await loadFootprint()
    for (let place = 0; place < 7; place += 1) {
      const ctx = buildCtx(author, [], openFailingSession(2, place))
      await expect(updateAttachments.run(ctx, input)).rejects.toThrow('interrupted')
      expect(await loadFootprint()).toEqual(before)
    }
    const whole = buildCtx(author, [], openSession(env.DB, 'first-primary'))
    expect((await updateAttachments.run(whole, input)).attachments[0]?.changes).toHaveProperty(
      'summary',
    )
  })
})
