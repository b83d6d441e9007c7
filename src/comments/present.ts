import * as z from 'zod'
import type { Selection } from '../lib/selection.ts'
import { toDatetime } from '../lib/time.ts'
import type { People } from '../users/people.ts'

/** The Comment object of the contract ("Comment"); any field may be missing, because callers select. */
export const commentShape = z
  .strictObject({
    id: z.int(),
    bug_id: z.int(),
    attachment_id: z.int().nullable(),
    count: z.int(),
    text: z.string(),
    raw_text: z.string(),
    creator: z.string(),
    /** The older name of `creator`, which clients still read. */
    author: z.string(),
    time: z.iso.datetime(),
    creation_time: z.iso.datetime(),
    is_private: z.boolean(),
    is_markdown: z.boolean(),
    tags: z.array(z.string()),
  })
  .partial()

export type CommentRow = {
  id: number
  bugId: number
  number: number
  author: string
  createdAt: number
  body: string
  isPrivate: boolean
  isMarkdown: boolean
  kind: string
  attachmentId: number | null
  /** Null without an attachment, and when the reader may not see it. */
  attachmentSummary: string | null
  /** The other bug of a duplicate pair; null when the reader may not see it. */
  relatedBugId: number | null
  /** JSON */
  tags: string
}

/** A comment as one caller gets it. Contract "Comment". */
export function presentComment(row: CommentRow, selection: Selection, people: People) {
  const creator = people.login(row.author)
  const time = toDatetime(row.createdAt)
  return selection.prune({
    id: row.id,
    bug_id: row.bugId,
    attachment_id: row.attachmentId,
    count: row.number,
    text: composeText(row),
    raw_text: row.body,
    creator,
    author: creator,
    time,
    creation_time: time,
    is_private: row.isPrivate,
    is_markdown: row.isMarkdown,
    tags: JSON.parse(row.tags) as string[],
  })
}

/**
 * The body with the lead-in or notice that its kind adds; those are made when reading, never stored. A
 * summary or another bug that the reader may not see is null and stays untold.
 */
function composeText(row: CommentRow): string {
  const { kind, body, attachmentId, attachmentSummary, relatedBugId } = row
  const about = attachmentSummary === null ? '' : `\n${attachmentSummary}`
  switch (kind) {
    case 'attachment_created':
      return joinParagraphs(`Created attachment ${attachmentId}${about}`, body)
    case 'attachment_updated':
      return joinParagraphs(`Comment on attachment ${attachmentId}${about}`, body)
    case 'duplicate_of': {
      const original = relatedBugId === null ? 'another bug' : `bug ${relatedBugId}`
      return joinParagraphs(body, `*** This bug has been marked as a duplicate of ${original} ***`)
    }
    case 'has_duplicate': {
      const duplicate = relatedBugId === null ? 'Another bug' : `Bug ${relatedBugId}`
      return `*** ${duplicate} has been marked as a duplicate of this bug. ***`
    }
    default:
      return body
  }
}

function joinParagraphs(first: string, second: string): string {
  return [first, second].filter((part) => part !== '').join('\n\n')
}
