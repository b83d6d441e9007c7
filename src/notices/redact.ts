import type { Person } from '../access/caller.ts'
import { canTrackTime, isInsider } from '../access/rights.ts'
import type {
  AttachmentPrivacy,
  Change,
  NoticeCommentRow,
  NoticeHistoryRow,
  VisibleChange,
} from './types.ts'

const TIME_FIELDS = new Set(['estimated_time', 'remaining_time', 'work_time'])
const PRIVACY_FIELDS = new Set(['longdescs.isprivate'])

/**
 * Leaves of a change what a person may know at this moment: private comments and whatever belongs to
 * them is for insiders, private attachments are for them and for who submitted those, hours are for the
 * time-tracking group, and other bugs are named only to whoever sees those. Contract "Authentication", 5,
 * "Attachment" and "Comments".
 */
export function redactChange(change: Change, person: Person): VisibleChange {
  const sees = (bugId: number | null) => !change.hidden.has(`${person.id}:${bugId}`)
  return {
    rows: change.rows
      .filter(
        (row) => isInsider(person) || !(isForInsiders(row) || isOfHiddenAttachment(row, person)),
      )
      .filter((row) => canTrackTime(person) || !TIME_FIELDS.has(row.field))
      .map((row) => omitHiddenBugs(change, row, sees))
      .filter((row) => row.removed !== '' || row.added !== ''),
    comments: change.comments
      .filter(
        (comment) =>
          isInsider(person) || !(comment.isPrivate || isOfHiddenAttachment(comment, person)),
      )
      .map((comment) => (sees(comment.relatedBugId) ? comment : toPlainComment(comment)))
      // hours recorded without a word make an empty comment
      .filter(({ kind, body }) => kind !== 'plain' || body !== ''),
    referenced: listReferencedBugs(change, sees),
  }
}

function isForInsiders(row: NoticeHistoryRow): boolean {
  return row.isCommentPrivate === 1 || PRIVACY_FIELDS.has(row.field)
}

/** Whether something belongs to a private attachment that somebody else than the person has submitted. */
export function isOfHiddenAttachment(
  { isAttachmentPrivate, submitterId }: AttachmentPrivacy,
  person: Person,
): boolean {
  return isAttachmentPrivate === 1 && submitterId !== person.id
}

/** Rows that name no bugs have no links and stay as they are. */
function omitHiddenBugs(
  change: Change,
  row: NoticeHistoryRow,
  sees: (bugId: number | null) => boolean,
): NoticeHistoryRow {
  const links = change.links.filter(({ historyId }) => historyId === row.id)
  if (links.every(({ bugId }) => sees(bugId))) {
    return row
  }
  const left = (side: 'removed' | 'added') =>
    links
      .filter((link) => link.side === side && sees(link.bugId))
      .map(({ item }) => item)
      .join(', ')
  return { ...row, removed: left('removed'), added: left('added') }
}

function toPlainComment(comment: NoticeCommentRow): NoticeCommentRow {
  return { ...comment, kind: 'plain', relatedBugId: null }
}

function listReferencedBugs(
  change: Change,
  sees: (bugId: number | null) => boolean,
): VisibleChange['referenced'] {
  const seen = new Map<number, string>()
  for (const { bugId, summary } of change.links) {
    if (bugId !== null && summary !== null && sees(bugId)) {
      seen.set(bugId, summary)
    }
  }
  return [...seen].map(([id, summary]) => ({ id, summary })).sort((a, b) => a.id - b.id)
}
