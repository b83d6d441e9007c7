import * as z from 'zod'
import type { Selection } from '../../platform/lib/selection.ts'
import { toDatetime } from '../../platform/lib/time.ts'
import { type PeoplePresenter, userDetailShape } from '../users/people.ts'

/** The comment object; fields may be missing, because callers select them. */
export const commentShape = z
  .strictObject({
    id: z.int(),
    bug_id: z.int(),
    attachment_id: z.int().nullable(),
    count: z.int(),
    text: z.string(),
    raw_text: z.string(),
    creator: z.string(),
    /** An older name of `creator`, which clients still read. */
    author: z.string(),
    time: z.iso.datetime().meta({ deprecated: true }),
    creation_time: z.iso.datetime(),
    is_private: z.boolean(),
    is_markdown: z.boolean(),
    tags: z.array(z.string()),
    creator_detail: userDetailShape,
    html: z.string(),
  })
  .partial()
  .meta({ title: 'Comment' })

export type CommentRow = {
  id: number
  bugId: number
  number: number
  /** JSON: ID, login, real name, nick. */
  author: string
  createdAt: number
  body: string
  isPrivate: boolean
  isMarkdown: boolean
  kind: string
  attachmentId: number | null
  /** Null without an attachment, and when the caller does not see it. */
  attachmentSummary: string | null
  /** The other bug of a duplicate pair; null when the caller does not see it. */
  relatedBugId: number | null
  /** JSON */
  tags: string
}

/** What comes only when it is named. */
const NAMED_FIELDS: readonly string[] = ['creator_detail', 'html']

type PersonTuple = [number, string, string, string | null]

export function presentComment(
  row: CommentRow,
  selection: Selection,
  people: PeoplePresenter,
  html?: string,
) {
  const [id, login, realName, nick]: PersonTuple = JSON.parse(row.author)
  const creator = people.presentLogin(login)
  const time = toDatetime(row.createdAt)
  const comment = {
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
    creator_detail: people.presentDetail({ id, login, realName, nick }),
    html,
  }
  return selection.prune(comment, (field) => (NAMED_FIELDS.includes(field) ? 'named' : 'default'))
}

/**
 * The body with the line that the kind of the comment adds. That line is never stored, because it depends on
 * whether the caller sees the attachment or the other bug.
 */
export function composeText(row: CommentRow): string {
  const { kind, body, attachmentId, attachmentSummary, relatedBugId } = row
  const summaryLine = attachmentSummary === null ? '' : `\n${attachmentSummary}`
  switch (kind) {
    case 'attachment_created':
      return joinParagraphs(`Created attachment ${attachmentId}${summaryLine}`, body)
    case 'attachment_updated':
      return joinParagraphs(`Comment on attachment ${attachmentId}${summaryLine}`, body)
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
