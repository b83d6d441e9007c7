import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller, SYSTEM } from '../../../src/platform/access/caller.ts'
import {
  isAttachmentVisibleTo,
  isCommentVisibleTo,
  visibleAttachmentCondition,
  visibleCommentCondition,
  visibleCommentCount,
} from '../../../src/platform/access/visibility.ts'
import { insertAttachment } from '../../support/builders/attachments.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'
import { explainQueryPlan } from '../../support/database/explain-query-plan.ts'

describe('comments and attachments', () => {
  test('are visible to insiders when they are private, comments to them alone', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    const noticeId = await insertNotice(about, author)
    const open = await insertComment(about, author, { noticeId, body: 'open' })
    const secret = await insertComment(about, author, {
      noticeId,
      body: 'secret',
      isPrivate: true,
    })
    const seen = async (caller: Caller) =>
      (
        await execute(sql`SELECT id FROM comments WHERE bug_id = ${about.id}
          AND ${visibleCommentCondition(caller)} ORDER BY id`)
      ).map((row) => row.id)

    expect(await seen(ANONYMOUS)).toEqual([open])
    expect(await seen(buildCaller(author))).toEqual([open])
    expect(await seen(buildCaller(author, ['insider']))).toEqual([open, secret])
    expect(await seen(SYSTEM)).toEqual([open, secret])
  })

  test('on a private attachment are visible and counted for those who see the attachment', async () => {
    const [submitter, other] = [await insertPerson(), await insertPerson()]
    const about = await insertBug({ reporter: submitter })
    const noticeId = await insertNotice(about, submitter)
    const plain = await insertComment(about, submitter, { noticeId, body: 'open' })
    const attachmentId = await insertAttachment(about, submitter, {
      summary: 'secret',
      isPrivate: true,
    })
    const onSecret = await insertComment(about, submitter, {
      noticeId,
      body: 'on it',
      attachmentId,
    })
    await insertComment(about, other, {
      noticeId,
      body: 'private on it',
      attachmentId,
      isPrivate: true,
    })
    const readComments = async (caller: Caller) => {
      const rows = await execute(sql`SELECT id FROM comments WHERE bug_id = ${about.id}
        AND ${visibleCommentCondition(caller)} ORDER BY id`)
      const [counted] = await execute(
        sql`SELECT ${visibleCommentCount(caller)} AS count FROM bugs WHERE id = ${about.id}`,
      )
      expect(counted?.count).toBe(rows.length)
      return rows.map((row) => row.id).slice(0, 2)
    }

    expect(await readComments(ANONYMOUS)).toEqual([plain])
    expect(await readComments(buildCaller(other))).toEqual([plain])
    expect(await readComments(buildCaller(submitter))).toEqual([plain, onSecret])
    expect(await readComments(buildCaller(other, ['insider']))).toEqual([plain, onSecret])
    expect(await readComments(SYSTEM)).toEqual([plain, onSecret])
  })

  test('are counted without a look at attachments that everybody sees', async () => {
    const counted = sql`SELECT ${visibleCommentCount(ANONYMOUS)} AS count FROM bugs`
    const steps = await explainQueryPlan(counted)

    expect(steps.filter((step) => /attachments/.test(step))).toEqual([
      'SEARCH attachments USING COVERING INDEX attachments_private (bug_id=?)',
    ])
  })

  test('are visible to the submitter of a private attachment', async () => {
    const [submitter, other] = [await insertPerson(), await insertPerson()]
    const about = await insertBug()
    const open = await insertAttachment(about, other, { summary: 'open' })
    const secret = await insertAttachment(about, submitter, { summary: 'secret', isPrivate: true })
    const seen = async (caller: Caller) =>
      (
        await execute(sql`SELECT id FROM attachments WHERE bug_id = ${about.id}
          AND ${visibleAttachmentCondition(caller)} ORDER BY id`)
      ).map((row) => row.id)

    expect(await seen(ANONYMOUS)).toEqual([open])
    expect(await seen(buildCaller(other))).toEqual([open])
    expect(await seen(buildCaller(submitter))).toEqual([open, secret])
    expect(await seen(buildCaller(other, ['insider']))).toEqual([open, secret])
    expect(await seen(SYSTEM)).toEqual([open, secret])
  })
})

test('the rules for rows read for many people agree with the conditions in SQL, in every case', async () => {
  const [submitter, other] = [await insertPerson(), await insertPerson()]
  const about = await insertBug({ reporter: submitter })
  const noticeId = await insertNotice(about, submitter)
  const files = await Promise.all(
    [false, true].map((isPrivate) =>
      insertAttachment(about, submitter, { summary: 'file', isPrivate }),
    ),
  )
  for (const attachmentId of [undefined, ...files]) {
    for (const isPrivate of [false, true]) {
      const more = attachmentId === undefined ? {} : { attachmentId }
      await insertComment(about, other, { noticeId, body: 'text', isPrivate, ...more })
    }
  }
  const readers = [submitter, other].flatMap((person) => [
    buildCaller(person),
    buildCaller(person, ['insider']),
  ])
  for (const reader of readers) {
    const rows =
      await execute(sql`SELECT comments.is_private, a.is_private AS file_private, a.submitter_id,
        comments.attachment_id, ${visibleCommentCondition(reader)} AS is_comment_visible,
        comments.attachment_id IN (SELECT id FROM attachments WHERE ${visibleAttachmentCondition(reader)})
          AS is_file_visible
      FROM comments LEFT JOIN attachments a ON a.id = comments.attachment_id
      WHERE comments.bug_id = ${about.id}`)
    expect(rows.length).toBeGreaterThanOrEqual(6)
    for (const row of rows) {
      const file = {
        isAttachmentPrivate: row.file_private as number | null,
        submitterId: row.submitter_id as number | null,
      }
      const comment = { ...file, isPrivate: row.is_private === 1 }
      expect(isCommentVisibleTo(reader, comment)).toBe(row.is_comment_visible === 1)
      expect(isAttachmentVisibleTo(reader, file)).toBe(row.is_file_visible !== 0)
    }
  }
})
