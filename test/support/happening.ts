import { type SQL, sql } from 'drizzle-orm'
import { db } from '../../src/db/client.ts'
import type { Statement } from '../../src/db/commit.ts'
import { attachments } from '../../src/db/schema/attachments.ts'
import { bugCc, bugGroups } from '../../src/db/schema/bug-sets.ts'
import { comments } from '../../src/db/schema/comments.ts'
import { history } from '../../src/db/schema/history.ts'
import { notices } from '../../src/db/schema/notices.ts'
import { fold } from '../../src/lib/text.ts'
import { runStatements } from './statements.ts'
import { NOW, person, product, type TestGroup, type TestPerson, unique } from './world.ts'

export type TestBug = { id: number; summary: string; reporter: TestPerson; assignee: TestPerson }

type Row = Record<string, unknown>

/** Writes statements as they are, behind the back of every rule, and answers the rows of the first. */
export async function write(...statements: Statement[]): Promise<Row[]> {
  const [rows = []] = await runStatements(statements)
  return rows
}

/** A row as it stands now. */
export async function rowOf(
  table: 'notices' | 'tokens' | 'login_failures' | 'notice_mails',
  where: SQL,
) {
  const [row] = await write(sql`SELECT * FROM ${sql.raw(table)} WHERE ${where}`)
  return row
}

/** A bug in a product of its own, in status CONFIRMED unless told otherwise. */
export async function bug(
  options: {
    reporter?: TestPerson
    assignee?: TestPerson
    qaContact?: TestPerson
    cc?: TestPerson[]
    groups?: TestGroup[]
    status?: string
    summary?: string
  } = {},
): Promise<TestBug> {
  const reporter = options.reporter ?? (await person())
  const assignee = options.assignee ?? (await person())
  const place = await product({ assignee })
  const summary = options.summary ?? unique('Something is wrong ')
  const value = (field: string, name: string) => sql`(SELECT v.id FROM field_values v
    JOIN fields f ON f.id = v.field_id WHERE f.name = ${field} AND v.name = ${name})`
  const of = (table: string) =>
    sql`(SELECT min(id) FROM ${sql.raw(table)} WHERE product_id = ${place.id})`
  const [row] = await write(sql`INSERT INTO bugs (summary, summary_fold, product_id, component_id,
      version_id, milestone_id, status_id, resolution_id, is_confirmed, type_id, priority_id,
      severity_id, platform_id, op_sys_id, assigned_to_id, reporter_id, qa_contact_id, created_at,
      changed_at)
    VALUES (${summary}, ${fold(summary)}, ${place.id}, ${of('components')}, ${of('versions')},
      ${of('milestones')}, ${value('bug_status', options.status ?? 'CONFIRMED')},
      ${value('resolution', '')}, 1, ${value('bug_type', 'defect')}, ${value('priority', 'P1')},
      ${value('bug_severity', 'S2')}, ${value('rep_platform', 'Other')}, ${value('op_sys', 'Linux')},
      ${assignee.id}, ${reporter.id}, ${options.qaContact?.id ?? null}, ${NOW}, ${NOW})
    RETURNING id`)
  const id = Number(row?.id)
  await write(
    ...(options.cc ?? []).map((member) =>
      db.insert(bugCc).values({ bugId: id, userId: member.id }),
    ),
    ...(options.groups ?? []).map((group) =>
      db.insert(bugGroups).values({ bugId: id, groupId: group.id }),
    ),
  )
  return { id, summary, reporter, assignee }
}

/** A notice of a bug, waiting since `NOW`. */
export async function notice(
  about: TestBug,
  author: TestPerson,
  more: Partial<typeof notices.$inferInsert> = {},
): Promise<number> {
  const [row] = await write(
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

/** A change of one field that a notice tells of. */
export async function changed(
  about: TestBug,
  author: TestPerson,
  noticeId: number,
  field: string,
  removed: string,
  added: string,
  more: Partial<typeof history.$inferInsert> = {},
): Promise<void> {
  await write(
    db.insert(history).values({
      bugId: about.id,
      authorId: author.id,
      changedAt: NOW,
      field,
      removed,
      removedFold: fold(removed),
      added,
      addedFold: fold(added),
      noticeId,
      ...more,
    }),
  )
}

/** A comment that a notice tells of; answers its ID. */
export async function commented(
  about: TestBug,
  author: TestPerson,
  noticeId: number,
  body: string,
  more: Partial<typeof comments.$inferInsert> = {},
): Promise<number> {
  const [row] = await write(
    db
      .insert(comments)
      .values({
        bugId: about.id,
        authorId: author.id,
        number: sql`(SELECT count(*) FROM comments WHERE bug_id = ${about.id})`,
        createdAt: NOW,
        body,
        noticeId,
        ...more,
      } as typeof comments.$inferInsert)
      .returning({ id: comments.id }),
  )
  return Number(row?.id)
}

/** An attachment without bytes, which no mail reads; answers its ID. */
export async function attached(
  about: TestBug,
  submitter: TestPerson,
  summary: string,
  isPrivate: boolean,
): Promise<number> {
  const [row] = await write(
    db
      .insert(attachments)
      .values({
        bugId: about.id,
        submitterId: submitter.id,
        createdAt: NOW,
        changedAt: NOW,
        fileName: 'file.txt',
        summary,
        summaryFold: fold(summary),
        contentType: 'text/plain',
        size: 1,
        objectKey: unique('object'),
        sha256: '',
        isPrivate,
      })
      .returning({ id: attachments.id }),
  )
  return Number(row?.id)
}
