import { eq, type SQL } from 'drizzle-orm'
import { type AccountRow, accountColumns, personFrom } from '../access/account.ts'
import { bugVisibleToCondition } from '../access/visibility.ts'
import { db } from '../db/client.ts'
import { bugs } from '../db/schema/bugs.ts'
import { users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { splitItems } from '../history/links.ts'
import { fold } from '../lib/text.ts'
import type { Settings } from '../settings.ts'
import { selectPeopleOfBlockedBugs } from './dependent-bugs.ts'
import { selectPeopleOfFlags } from './flag-news.ts'
import { MAIL_ROLES, type MailRole } from './preferences.ts'
import type { NoticeKey, Recipient } from './types.ts'

type RecipientRow = AccountRow & { roles: string; blocked: string; preferences: string }

/**
 * Selects the possible recipients of a notice, each person once: the people of the bug and those whom the
 * change removed, people concerned by its flags, and the people of bugs that it blocks. All of them can get
 * mail, see the bug now, and have got no mail in an earlier attempt. Reference: notifications.md, "Who gets
 * mail".
 */
export function selectRecipients(settings: Settings, notice: NoticeKey) {
  const excludedSuffix = fold(settings.MAIL_NEVER_TO)
  return db
    .select({
      ...accountColumns,
      roles: sql<string>`involved.roles`.as('roles'),
      blocked: sql<string>`involved.blocked`.as('blocked'),
      preferences: sql<string>`(
        SELECT json_group_array(json_array(p.role, p.event, p.wanted))
        FROM mail_preferences p WHERE p.user_id = users.id)`.as('preferences'),
    })
    .from(users)
    .innerJoin(
      sql`(SELECT person_id, json_group_array(role) FILTER (WHERE blocked IS NULL) AS roles,
          json_group_array(json(blocked)) FILTER (WHERE blocked IS NOT NULL) AS blocked
        FROM (SELECT person_id, role, NULL AS blocked FROM (${selectInvolvedPeople(notice)})
          UNION ALL ${selectPeopleOfBlockedBugs(notice)})
        GROUP BY person_id) AS involved`,
      sql`involved.person_id = users.id`,
    )
    .innerJoin(bugs, eq(bugs.id, notice.bugId))
    .where(
      sql`users.login_denied_text = '' AND users.email_enabled = 1
        AND instr(users.login, '@') > 1
        AND (${excludedSuffix} = '' OR substr(users.login_fold, -length(${excludedSuffix})) <> ${excludedSuffix})
        AND NOT EXISTS (SELECT 1 FROM notice_mails m
          WHERE m.notice_id = ${notice.id} AND m.user_id = users.id)
        AND ${bugVisibleToCondition(sql`users.id`)}`,
    )
    .orderBy(users.id)
}

/**
 * A select of `person_id` and `role` of the people of a bug, those whom the change removed included, and
 * with the role `flags` the people whom its flags concern.
 */
export function selectInvolvedPeople(notice: NoticeKey): SQL {
  return sql`SELECT held.value AS person_id, held.key AS role
      FROM bugs JOIN json_each(json_object('assignee', bugs.assigned_to_id,
        'reporter', bugs.reporter_id, 'qa_contact', bugs.qa_contact_id)) held
      WHERE bugs.id = ${notice.bugId} AND held.value IS NOT NULL
    UNION
    SELECT bug_cc.user_id, 'cc' FROM bug_cc WHERE bug_cc.bug_id = ${notice.bugId}
    UNION
    SELECT gone.id, CASE history.field WHEN 'assigned_to' THEN 'assignee' ELSE history.field END
      FROM history JOIN ${splitItems(sql`history.removed_fold`)} item
      JOIN users gone ON gone.login_fold = item.value
      WHERE history.notice_id = ${notice.id} AND history.field IN ('assigned_to', 'qa_contact', 'cc')
    UNION
    SELECT concerned.person_id, 'flags' FROM (${selectPeopleOfFlags(notice)}) AS concerned`
}

/** Makes a recipient of a row of `selectRecipients`. */
export function parseRecipient(row: RecipientRow): Recipient {
  const roles = JSON.parse(row.roles) as string[]
  const preferences = JSON.parse(row.preferences) as [string, string, number][]
  return {
    person: personFrom(row),
    roles: MAIL_ROLES.filter((role) => roles.includes(role)),
    blocked: (JSON.parse(row.blocked) as [MailRole, number, string][]).map(
      ([role, id, summary]) => ({ role, id, summary }),
    ),
    preferences: preferences.map(([role, event, isOn]) => [role, event, isOn === 1]),
  }
}
