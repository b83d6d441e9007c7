import type { SQL } from 'drizzle-orm'
import type { Person } from '../../platform/access/caller.ts'
import type { Statement } from '../../platform/db/commit.ts'
import { attachments } from '../../platform/db/schema/bugs.ts'
import { aliasColumns, columnNames, sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'
import { insertAttachmentCommentsStatement } from '../comments/plan.ts'
import type { FlagEdits } from '../flags/plan-edits.ts'
import { addRequesteesToCcStatements, flagStatements } from '../flags/write.ts'
import { bugChangedAt } from '../history/record.ts'
import { noticeOf, recordNotice } from '../notices/record-notice.ts'
import { limitAttachments } from './create-load.ts'
import { selectAttachmentFlagTuples } from './get.ts'
import type { StoredBytes } from './store.ts'

const a = aliasColumns(attachments, 'a')

const ATTACHMENTS_COLUMNS = columnNames(
  attachments.bugId,
  attachments.submitterId,
  attachments.createdAt,
  attachments.changedAt,
  attachments.fileName,
  attachments.summary,
  attachments.summaryFold,
  attachments.contentType,
  attachments.size,
  attachments.objectKey,
  attachments.sha256,
  attachments.isPrivate,
  attachments.isPatch,
  attachments.linkUrl,
)

/** A new attachment before it has an ID. */
export type AttachmentDraft = {
  readonly fileName: string
  readonly summary: string
  readonly contentType: string
  readonly isPrivate: boolean
  readonly isPatch: boolean
  readonly linkUrl: string | null
}

/** New attachments of the same bytes, one on each bug. */
export type AttachmentCreation = {
  readonly person: Person
  /** Unix seconds. */
  readonly now: number
  /** The bugs. */
  readonly ids: readonly number[]
  readonly draft: AttachmentDraft
  readonly stored: StoredBytes
  readonly body: string
  readonly isMarkdown: boolean
  readonly edits: readonly FlagEdits[]
}

/**
 * The parts of the commit that attaches, in this order: notices, attachments, a comment on each, flags. `created`
 * returns the new attachments.
 */
export function makeCreationParts(creation: AttachmentCreation) {
  const { person, now, ids, draft, stored, body, isMarkdown, edits } = creation
  const bugIdSelect = sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(ids)})`
  const event = { kind: 'changed', authorId: person.id, at: now, isMinor: false } as const
  const origin = { authorId: person.id, noticeOf }
  return {
    notices: recordNotice(bugIdSelect, event),
    attachments: [
      insertAttachmentsStatement(bugIdSelect, draft, stored, person.id),
      ...limitAttachments(ids),
    ],
    comments: insertAttachmentCommentsStatement(
      sql`SELECT ${a.id} AS attachment_id, ${a.bugId}, ${a.isPrivate} FROM attachments a
        WHERE ${a.objectKey} = ${stored.objectKey}`,
      { kind: 'attachment_created', body, isMarkdown },
      person.id,
    ),
    flags: flagStatements(edits, origin),
    cc: addRequesteesToCcStatements(edits, origin),
    created: sql`SELECT ${attachments.id}, ${attachments.bugId}, ${selectAttachmentFlagTuples()} AS flags
      FROM attachments WHERE ${attachments.objectKey} = ${stored.objectKey}`,
  }
}

function insertAttachmentsStatement(
  bugIdSelect: SQL,
  draft: AttachmentDraft,
  { size, objectKey, sha256 }: StoredBytes,
  submitterId: number,
): Statement {
  const { fileName, summary, contentType, isPrivate, isPatch, linkUrl } = draft
  return sql`INSERT INTO attachments (${ATTACHMENTS_COLUMNS})
    SELECT t.bug_id, ${submitterId}, ${bugChangedAt(sql`t.bug_id`)}, ${bugChangedAt(sql`t.bug_id`)}, ${fileName},
      ${summary}, ${fold(summary)}, ${contentType}, ${size}, ${objectKey}, ${sha256}, ${isPrivate},
      ${isPatch}, ${linkUrl}
    FROM (${bugIdSelect}) t`
}
