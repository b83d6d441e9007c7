import type { SQL, SQLWrapper } from 'drizzle-orm'
import { bugCc, bugs, dependencies, history } from '../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../platform/db/schema/fields.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { aliasColumns, limitTo, sql } from '../../platform/db/sql.ts'
import { type MailCandidate, wantsMail } from './preferences.ts'
import type { BlockedBug, NoticeBugRow, NoticeHistoryRow, VisibleChange } from './types.ts'

const n = aliasColumns(notices, 'n')
const d = aliasColumns(dependencies, 'd')
const bRow = aliasColumns(bugs, 'b')
const c = aliasColumns(bugCc, 'c')
const v = aliasColumns(fieldValues, 'v')
const f = aliasColumns(fields, 'f')
const h = aliasColumns(history, 'h')

/** The changes of a bug that the people of the bugs it blocks get to know. */
const BLOCKER_FIELDS: readonly string[] = ['status', 'resolution']

/** People on the CC lists of all bugs that a bug blocks who hear of a change, and people in other roles. */
const MOST_OF_BLOCKED = 10_000

/**
 * A select of the people of the bugs that the bugs of notices block, where the change opened or closed those:
 * `notice_id`, `person_id`, `role`, and the bug in `blocked_id`. Of very many, those of the newest bugs.
 */
export function selectPeopleOfBlockedBugs(noticeIds: SQL, most = MOST_OF_BLOCKED): SQL {
  const from = sql`FROM notices n CROSS JOIN dependencies d ON ${d.dependsOnId} = ${n.bugId}`
  const isConcerned = sql`${n.id} IN ${noticeIds} AND ${opensOrClosesCondition(n.id)}`
  // what the index of dependencies gives, so that no more are looked at
  const newest = sql`ORDER BY ${n.id} DESC, ${d.bugId} DESC ${limitTo(most)}`
  return sql`SELECT * FROM (
      SELECT ${n.id} AS notice_id, p.value AS person_id, p.key AS role, ${d.bugId} AS blocked_id
      ${from} CROSS JOIN bugs b ON ${bRow.id} = ${d.bugId}
      CROSS JOIN json_each(json_object('assignee', ${bRow.assignedToId}, 'reporter', ${bRow.reporterId},
        'qa_contact', ${bRow.qaContactId})) p
      WHERE ${isConcerned} AND p.value IS NOT NULL ${newest})
    UNION
    SELECT * FROM (SELECT ${n.id}, ${c.userId}, 'cc', ${d.bugId}
      ${from} CROSS JOIN bug_cc c ON ${c.bugId} = ${d.bugId} WHERE ${isConcerned} ${newest})`
}

/** Whether a person who is involved only with blocked bugs wants the mail. */
export function wantsBlockerMail(
  candidate: Pick<MailCandidate, 'login' | 'isAuthor' | 'preferences'>,
  blocked: readonly BlockedBug[],
): boolean {
  const rolesOf = (isWatched: boolean) =>
    blocked.filter(({ watched }) => (watched !== null) === isWatched).map(({ role }) => role)
  return wantsMail(
    { ...candidate, roles: rolesOf(false), watchedRoles: rolesOf(true) },
    {
      kind: 'changed',
      isUnconfirmed: false,
      changes: [{ field: 'depends_on', removed: '', added: '' }],
      comments: [],
    },
  )
}

/** Reduces a change to what people of blocked bugs get to know: that this bug was opened or closed. */
export function redactToBlocker(
  rows: readonly NoticeHistoryRow[],
  { id, summary }: Pick<NoticeBugRow, 'id' | 'summary'>,
): VisibleChange {
  return {
    rows: rows.filter(({ field }) => BLOCKER_FIELDS.includes(field)),
    comments: [],
    referenced: [{ id, summary }],
  }
}

/** Whether a change left its bug open; null when it did not change the status. */
export function findNewState(rows: readonly NoticeHistoryRow[]): boolean | null {
  const isOpen = rows.find(({ field }) => field === 'status')?.isOpen ?? null
  return isOpen === null ? null : isOpen === 1
}

/** A select of `notice_id` and `bug_id`: the bugs of notices, and blocked ones whose people they concern. */
export function selectMailedBugs(noticeIds: SQL): SQL {
  return sql`SELECT ${n.id} AS notice_id, ${n.bugId} AS bug_id FROM notices n WHERE ${n.id} IN ${noticeIds}
    UNION SELECT notice_id, blocked_id FROM (${selectPeopleOfBlockedBugs(noticeIds)})`
}

/** Whether the change of a notice opened or closed its bug. */
export function opensOrClosesCondition(noticeId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM history h WHERE ${h.noticeId} = ${noticeId} AND ${h.field} = 'status'
    AND ${isOpenIn(h.removedFold)} <> ${isOpenIn(h.addedFold)})`
}

/** Whether bugs are open in the status of this folded name. */
export function isOpenIn(statusFold: SQLWrapper): SQL<number | null> {
  return sql`(SELECT ${v.isOpen} FROM field_values v
    WHERE ${v.fieldId} = (SELECT ${f.id} FROM fields f WHERE ${f.name} = 'bug_status')
      AND ${v.nameFold} = ${statusFold})`
}
