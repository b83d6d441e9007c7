import { sql } from 'drizzle-orm'
import { comments, history } from '../../../src/platform/db/schema/bugs.ts'
import { notices } from '../../../src/platform/db/schema/notices.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { execute } from '../database/execute.ts'
import { insertBug } from './bugs.ts'
import { insertPerson } from './people.ts'
import type { TestBug, TestPerson } from './types.ts'
import { NOW } from './unique.ts'

/** Inserts a notice about a bug, due at `NOW`; returns its ID. */
export async function insertNotice(
  about: TestBug,
  author: TestPerson,
  more: Partial<typeof notices.$inferInsert> = {},
): Promise<number> {
  const [row] = await execute(
    db
      .insert(notices)
      .values({
        bugId: about.id,
        authorId: author.id,
        kind: 'changed',
        happenedAt: NOW,
        nextAttemptAt: NOW,
        ...more,
      })
      .returning({ id: notices.id }),
  )
  return Number(row?.id)
}

export type NewChange = Partial<typeof history.$inferInsert> & {
  readonly field: string
  readonly removed: string
  readonly added: string
}

/** Inserts a history row for one field; a notice reports it if `noticeId` names one. */
export async function insertChange(
  about: TestBug,
  author: TestPerson,
  change: NewChange,
): Promise<void> {
  await execute(
    db.insert(history).values({
      bugId: about.id,
      authorId: author.id,
      changedAt: NOW,
      removedFold: fold(change.removed),
      addedFold: fold(change.added),
      noticeId: 0,
      ...change,
    }),
  )
}

/** Inserts history rows that a notice reports. */
export async function insertNoticed(
  noticeId: number,
  about: TestBug,
  author: TestPerson,
  ...changes: readonly [field: string, removed: string, added: string][]
): Promise<void> {
  for (const [field, removed, added] of changes) {
    await insertChange(about, author, { noticeId, field, removed, added })
  }
}

/** What inserts changes of a person at a moment. */
export function recordChangesBy(author: TestPerson, changedAt: number) {
  return (
    about: TestBug,
    field: string,
    removed: string,
    added: string,
    more: Partial<NewChange> = {},
  ): Promise<void> => insertChange(about, author, { field, removed, added, changedAt, ...more })
}

/**
 * Inserts so many changes of the whiteboard of a bug, from `value 0` to `value 1` and on, one each minute since a
 * moment, and returns what takes them away: other tests count what a tracker has.
 */
export async function insertChanges(
  bugId: number,
  author: TestPerson,
  count: number,
  since = NOW,
): Promise<() => Promise<unknown>> {
  await execute(sql`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added, added_fold)
    SELECT ${bugId}, ${author.id}, ${since} + 60 * i, 'whiteboard',
      'value ' || (i - 1), 'value ' || (i - 1), 'value ' || i, 'value ' || i FROM n`)
  return () => execute(sql`DELETE FROM history WHERE bug_id = ${bugId}`)
}

export type NewComment = Partial<typeof comments.$inferInsert> & { readonly body: string }

/** Inserts the next comment of a bug; returns its ID. A notice reports it if `noticeId` names one. */
export async function insertComment(
  about: TestBug,
  author: TestPerson,
  comment: NewComment,
): Promise<number> {
  const [row] = await execute(
    db
      .insert(comments)
      .values({
        bugId: about.id,
        authorId: author.id,
        number: sql`(SELECT count(*) FROM comments WHERE bug_id = ${about.id})`,
        createdAt: NOW,
        noticeId: 0,
        ...comment,
      } as typeof comments.$inferInsert)
      .returning({ id: comments.id }),
  )
  return Number(row?.id)
}

/** Inserts a bug without comments; `addComment` adds one of the reporter and returns its ID. */
export async function insertBugWithComments(
  reporter: TestPerson,
  options: Parameters<typeof insertBug>[0] = {},
): Promise<{
  about: TestBug
  addComment: (body: string, more?: Partial<NewComment>) => Promise<number>
}> {
  const about = await insertBug({ reporter, ...options })
  const noticeId = await insertNotice(about, reporter)
  return {
    about,
    addComment: (body, more) => insertComment(about, reporter, { noticeId, body, ...more }),
  }
}

/** Inserts a notice about a bug of its own; returns its ID. */
export async function insertWaitingNotice(
  more: Parameters<typeof insertNotice>[2] = {},
): Promise<number> {
  const author = await insertPerson()
  return insertNotice(await insertBug({ reporter: author }), author, more)
}
