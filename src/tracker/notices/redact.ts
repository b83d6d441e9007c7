import type { Person } from '../../platform/access/caller.ts'
import { isChangeVisibleTo } from '../../platform/access/privacy.ts'
import { isCommentVisibleTo } from '../../platform/access/visibility.ts'
import type { Change, NoticeCommentRow, NoticeHistoryRow, VisibleChange } from './types.ts'

/**
 * Redacts a change to what a person may know now, as `visibleRowConditions` and `omitHiddenBugs` do for history.
 */
export function redactChange(change: Change, person: Person): VisibleChange {
  const canSeeBug = (bugId: number | null) => !change.hidden.has(`${person.id}:${bugId}`)
  return {
    rows: change.rows
      .filter((row) => isChangeVisibleTo(person, row))
      .map((row) => omitHiddenBugs(change, row, canSeeBug))
      .filter((row) => row.removed !== '' || row.added !== ''),
    comments: change.comments
      .filter((comment) => isCommentVisibleTo(person, comment))
      .map((comment) => (canSeeBug(comment.relatedBugId) ? comment : toPlainComment(comment)))
      // hours recorded without a text make an empty comment
      .filter(({ kind, body }) => kind !== 'plain' || body !== ''),
    referenced: listReferencedBugs(change, canSeeBug),
  }
}

/** Rows without hidden bugs stay as they are. */
function omitHiddenBugs(
  change: Change,
  row: NoticeHistoryRow,
  canSeeBug: (bugId: number | null) => boolean,
): NoticeHistoryRow {
  const links = change.links.filter(({ historyId }) => historyId === row.id)
  if (links.every(({ bugId }) => canSeeBug(bugId))) {
    return row
  }
  const joinVisible = (side: 'removed' | 'added') =>
    links
      .filter((link) => link.side === side && canSeeBug(link.bugId))
      .map(({ item }) => item)
      .join(', ')
  return { ...row, removed: joinVisible('removed'), added: joinVisible('added') }
}

function toPlainComment(comment: NoticeCommentRow): NoticeCommentRow {
  return { ...comment, kind: 'plain', relatedBugId: null }
}

function listReferencedBugs(
  change: Change,
  canSeeBug: (bugId: number | null) => boolean,
): VisibleChange['referenced'] {
  const summaries = new Map<number, string>()
  for (const { bugId, summary } of change.links) {
    if (bugId !== null && summary !== null && canSeeBug(bugId)) {
      summaries.set(bugId, summary)
    }
  }
  return [...summaries].map(([id, summary]) => ({ id, summary })).sort((a, b) => a.id - b.id)
}
