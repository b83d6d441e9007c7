import type { SQL } from 'drizzle-orm'
import { bugVisibleToCondition } from '../access/visibility.ts'
import { bugCc, dependencies } from '../db/schema/bug-sets.ts'
import { bugs } from '../db/schema/bugs.ts'
import { fields, fieldValues } from '../db/schema/fields.ts'
import { history } from '../db/schema/history.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { type Preference, wantsMail } from './preferences.ts'
import type { BlockedBug, NoticeHistoryRow, NoticeKey, VisibleChange } from './types.ts'

const other = aliasColumns(bugs, 'other')
const d = aliasColumns(dependencies, 'd')
const bRow = aliasColumns(bugs, 'b')
const c = aliasColumns(bugCc, 'c')
const v = aliasColumns(fieldValues, 'v')
const f = aliasColumns(fields, 'f')
const h = aliasColumns(history, 'h')

/** The changes of a bug that the people of the bugs it blocks get to know. */
const BLOCKER_FIELDS: readonly string[] = ['status', 'resolution']

/**
 * A select of the people of the bugs that the bug of a notice blocks, when the change opened or closed it:
 * `person_id`, `role`, and in `blocked` a bug that the person sees, as JSON. Reference: notifications.md,
 * "What causes mail".
 */
export function selectPeopleOfBlockedBugs(notice: Pick<NoticeKey, 'id' | 'bugId'>): SQL {
  return sql`SELECT people.person_id, people.role,
      json_array(people.role, ${other.id}, ${other.summary}) AS blocked
    FROM (SELECT ${d.bugId}, p.value AS person_id, p.key AS role
        FROM dependencies d JOIN bugs b ON ${bRow.id} = ${d.bugId}
        JOIN json_each(json_object('assignee', ${bRow.assignedToId}, 'reporter', ${bRow.reporterId},
          'qa_contact', ${bRow.qaContactId})) p
        WHERE ${d.dependsOnId} = ${notice.bugId} AND p.value IS NOT NULL
      UNION
      SELECT ${d.bugId}, ${c.userId}, 'cc' FROM dependencies d JOIN bug_cc c ON ${c.bugId} = ${d.bugId}
        WHERE ${d.dependsOnId} = ${notice.bugId}) people
    JOIN bugs other ON ${other.id} = people.bug_id
    WHERE ${opensOrClosesCondition(notice.id)} AND ${bugVisibleToCondition(sql`people.person_id`, 'other')}`
}

/** Whether a person who is involved only with blocked bugs wants the mail. */
export function wantsBlockerMail(
  candidate: { login: string; isAuthor: boolean; preferences: readonly Preference[] },
  blocked: readonly BlockedBug[],
): boolean {
  return wantsMail(
    { ...candidate, roles: blocked.map(({ role }) => role) },
    {
      kind: 'changed',
      isUnconfirmed: false,
      changes: [{ field: 'depends_on', removed: '', added: '' }],
      comments: [],
    },
  )
}

/** Reduces a change to what people of blocked bugs get to know: that the bug was opened or closed. */
export function redactToBlocker(
  rows: readonly NoticeHistoryRow[],
  blocked: readonly BlockedBug[],
): VisibleChange {
  const byId = new Map(blocked.map(({ id, summary }) => [id, { id, summary }]))
  return {
    rows: rows.filter(({ field }) => BLOCKER_FIELDS.includes(field)),
    comments: [],
    referenced: [...byId.values()].sort((a, b) => a.id - b.id),
  }
}

function opensOrClosesCondition(noticeId: number): SQL {
  const isOpen = (side: SQL) => sql`(SELECT ${v.isOpen} FROM field_values v
    WHERE ${v.fieldId} = (SELECT ${f.id} FROM fields f WHERE ${f.name} = 'bug_status')
      AND ${v.nameFold} = ${side})`
  return sql`EXISTS (SELECT 1 FROM history h WHERE ${h.noticeId} = ${noticeId} AND ${h.field} = 'status'
    AND ${isOpen(sql`${h.removedFold}`)} <> ${isOpen(sql`${h.addedFold}`)})`
}
