import { eq, type SQL } from 'drizzle-orm'
import { type AccountRow, accountColumns, requireEnabledPerson } from '../access/account.ts'
import { mailableAccountCondition } from '../access/mail-accounts.ts'
import { bugVisibleToCondition } from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { bugCc } from '../db/schema/bug-sets.ts'
import { bugs } from '../db/schema/bugs.ts'
import { history } from '../db/schema/history.ts'
import { noticeMails } from '../db/schema/notices.ts'
import { mailPreferences, users } from '../db/schema/users.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { splitItems } from '../history/links.ts'
import type { Settings } from '../settings.ts'
import { selectPeopleOfBlockedBugs } from './dependent-bugs.ts'
import { selectPeopleOfFlags } from './flag-news.ts'
import { MAIL_ROLES, type MailRole } from './preferences.ts'
import type { NoticeKey, Recipient } from './types.ts'

const p = aliasColumns(mailPreferences, 'p')
const m = aliasColumns(noticeMails, 'm')
const gone = aliasColumns(users, 'gone')

type RecipientRow = AccountRow & { roles: string; blocked: string; preferences: string }

/**
 * Selects the possible recipients of a notice, each person once: the people of the bug and those whom the
 * change removed, people concerned by its flags, and the people of bugs that it blocks. All of them can get
 * mail, see the bug now, and have got no mail in an earlier attempt. Reference: notifications.md, "Who gets
 * mail".
 */
export function selectRecipients(settings: Settings, notice: NoticeKey) {
  return db
    .select({
      ...accountColumns,
      roles: sql<string>`involved.roles`.as('roles'),
      blocked: sql<string>`involved.blocked`.as('blocked'),
      preferences: sql<string>`(
        SELECT json_group_array(json_array(${p.role}, ${p.event}, ${p.wanted}))
        FROM mail_preferences p WHERE ${p.userId} = ${users.id})`.as('preferences'),
    })
    .from(users)
    .innerJoin(
      sql`(SELECT person_id, json_group_array(role) FILTER (WHERE blocked IS NULL) AS roles,
          json_group_array(json(blocked)) FILTER (WHERE blocked IS NOT NULL) AS blocked
        FROM (SELECT person_id, role, NULL AS blocked FROM (${selectInvolvedPeople(notice)})
          UNION ALL ${selectPeopleOfBlockedBugs(notice)})
        GROUP BY person_id) AS involved`,
      sql`involved.person_id = ${users.id}`,
    )
    .innerJoin(bugs, eq(bugs.id, notice.bugId))
    .where(
      sql`${mailableAccountCondition(settings)}
        AND NOT EXISTS (SELECT 1 FROM notice_mails m
          WHERE ${m.noticeId} = ${notice.id} AND ${m.userId} = ${users.id})
        AND ${bugVisibleToCondition(sql`${users.id}`)}`,
    )
    .orderBy(users.id)
}

/**
 * A select of `person_id` and `role` of the people of a bug, those whom the change removed included, and
 * with the role `flags` the people whom its flags concern.
 */
export function selectInvolvedPeople(notice: NoticeKey): SQL {
  return sql`SELECT involved.value AS person_id, involved.key AS role
      FROM bugs JOIN json_each(json_object('assignee', ${bugs.assignedToId},
        'reporter', ${bugs.reporterId}, 'qa_contact', ${bugs.qaContactId})) involved
      WHERE ${bugs.id} = ${notice.bugId} AND involved.value IS NOT NULL
    UNION
    SELECT ${bugCc.userId}, 'cc' FROM bug_cc WHERE ${bugCc.bugId} = ${notice.bugId}
    UNION
    SELECT ${gone.id}, CASE ${history.field} WHEN 'assigned_to' THEN 'assignee' ELSE ${history.field} END
      FROM history JOIN ${splitItems(sql`${history.removedFold}`)} item
      JOIN users gone ON ${gone.loginFold} = item.value
      WHERE ${history.noticeId} = ${notice.id} AND ${history.field} IN ('assigned_to', 'qa_contact', 'cc')
    UNION
    SELECT concerned.person_id, 'flags' FROM (${selectPeopleOfFlags(notice)}) AS concerned`
}

/** Makes a recipient of a row of `selectRecipients`. */
export function parseRecipient(row: RecipientRow): Recipient {
  const roles = JSON.parse(row.roles) as string[]
  const preferences = JSON.parse(row.preferences) as [string, string, number][]
  return {
    person: requireEnabledPerson(row),
    roles: MAIL_ROLES.filter((role) => roles.includes(role)),
    blocked: (JSON.parse(row.blocked) as [MailRole, number, string][]).map(
      ([role, id, summary]) => ({ role, id, summary }),
    ),
    preferences: preferences.map(([role, event, isOn]) => [role, event, isOn === 1]),
  }
}
