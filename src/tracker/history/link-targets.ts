import { eq, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { attachments, bugs } from '../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../platform/db/schema/fields.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'

const v = aliasColumns(fieldValues, 'v')

/** Selects bugs as the links of a text show them. Whether its reader sees them is for `condition` to say. */
export function selectLinkedBugs(condition: SQL) {
  const value = (shown: SQL, column: SQLiteColumn) =>
    sql`(SELECT ${shown} FROM field_values v WHERE ${v.id} = ${column})`
  return db
    .select({
      id: bugs.id,
      summary: bugs.summary,
      status: sql<string>`${value(v.name, bugs.statusId)}`.as('status'),
      resolution: sql<string>`${value(v.name, bugs.resolutionId)}`.as('resolution'),
      isOpen: sql<boolean>`${value(v.isOpen, bugs.statusId)}`.mapWith(Boolean).as('is_open'),
    })
    .from(bugs)
    .where(condition)
}

/** Selects attachments likewise, with what decides who sees them of those who see their bug. */
export function selectLinkedAttachments(condition: SQL) {
  return db
    .select({
      ...pick(attachments, 'id', 'summary', 'isObsolete', 'bugId', 'submitterId'),
      isAttachmentPrivate: sql<number>`${attachments.isPrivate}`.as('is_attachment_private'),
    })
    .from(attachments)
    .innerJoin(bugs, eq(bugs.id, attachments.bugId))
    .where(condition)
}
