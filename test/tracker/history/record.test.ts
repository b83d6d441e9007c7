import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recordHistory } from '../../../src/tracker/history/record.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const words = {
  field: 'whiteboard',
  bugId: sql`bugs.id`,
  removed: sql`bugs.whiteboard`,
  removedFolded: sql`bugs.whiteboard_fold`,
  added: sql`'New'`,
  addedFolded: sql`'new'`,
}

const of = (...bugs: TestBug[]) =>
  sql`bugs WHERE bugs.id IN (SELECT value FROM json_each(${JSON.stringify(bugs.map(({ id }) => id))}))`

const by = (author: TestPerson, noticeId: number) => ({
  authorId: author.id,
  noticeOf: () => sql`${noticeId}`,
})

describe('a record', () => {
  test('holds what stands before the change, at the moment of the bug, and answers it', async () => {
    const [one, author] = [await insertBug(), await insertPerson()]
    const noticeId = await insertNotice(one, author)
    await execute(sql`UPDATE bugs SET whiteboard = 'ÖLD', whiteboard_fold = 'öld', changed_at = 77
      WHERE id = ${one.id}`)
    const answered = await execute(recordHistory({ ...words, from: of(one) }, by(author, noticeId)))
    expect(answered).toEqual([
      { bug_id: one.id, field: 'whiteboard', removed: 'ÖLD', added: 'New' },
    ])
    expect(await loadRowsOfBug('history', one.id)).toMatchObject([
      {
        author_id: author.id,
        changed_at: 77,
        field: 'whiteboard',
        removed: 'ÖLD',
        removed_fold: 'öld',
        added: 'New',
        added_fold: 'new',
        attachment_id: null,
        comment_id: null,
        notice_id: noticeId,
      },
    ])
  })

  test('of several bugs leaves those out where nothing differs', async () => {
    const [one, two, author] = [await insertBug(), await insertBug(), await insertPerson()]
    await execute(sql`UPDATE bugs SET whiteboard = 'New' WHERE id = ${one.id}`)
    const answered = await execute(recordHistory({ ...words, from: of(one, two) }, by(author, 1)))
    expect(answered.map((row) => row.bug_id)).toEqual([two.id])
    expect(await loadRowsOfBug('history', one.id)).toEqual([])
  })

  test('keeps long values whole', async () => {
    const [one, author] = [await insertBug(), await insertPerson()]
    const long = 'é'.repeat(65_535)
    await execute(sql`UPDATE bugs SET whiteboard = ${long} WHERE id = ${one.id}`)
    await execute(recordHistory({ ...words, from: of(one) }, by(author, 1)))
    expect((await loadRowsOfBug('history', one.id))[0]?.removed).toBe(long)
  })

  test('of an attachment is reported there, not as a change of the bug', async () => {
    const [one, author] = [await insertBug(), await insertPerson()]
    const id = await insertAttachment(one, author, { summary: 'paper' })
    const telling = { ...words, from: of(one), attachmentId: sql`${id}` }
    const answered = await execute(recordHistory(telling, by(author, 1)))
    expect(answered).toEqual([
      { attachment_id: id, field: 'whiteboard', removed: '', added: 'New' },
    ])
    expect(await loadRowsOfBug('history', one.id)).toMatchObject([{ attachment_id: id }])
  })
})
