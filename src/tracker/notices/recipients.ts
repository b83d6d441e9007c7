import type { SQL } from 'drizzle-orm'
import {
  type AccountRow,
  accountColumns,
  requireEnabledPerson,
} from '../../platform/access/account.ts'
import { mailableAccountCondition } from '../../platform/access/mail-accounts.ts'
import { bugVisibleToCondition } from '../../platform/access/visibility.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { noticeMails, notices } from '../../platform/db/schema/notices.ts'
import { mailPreferences, users } from '../../platform/db/schema/users.ts'
import { ignoredBugs } from '../../platform/db/schema/watches.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import type { Settings } from '../../platform/settings/settings.ts'
import { type InvolvedIn, selectInvolvedPeople } from './involved.ts'
import { MAIL_ROLES, type MailRole } from './preferences.ts'
import type { MailedPerson, Recipient, WatchedRole } from './types.ts'

const n = aliasColumns(notices, 'n')
const p = aliasColumns(mailPreferences, 'p')
const m = aliasColumns(noticeMails, 'm')
const i = aliasColumns(ignoredBugs, 'i')
const other = aliasColumns(bugs, 'other')
const watched = aliasColumns(users, 'watched')

type RecipientRow = { noticeId: number; personId: number; involvements: string }
type MailedPersonRow = AccountRow & { preferences: string }

/** What a person is to a notice: role, the watched person, and the blocked bug. */
type Involvement = [
  role: MailRole | 'flags' | 'global_watcher',
  watchedId: number | null,
  watchedLogin: string | null,
  blockedId: number | null,
]

/**
 * Selects the possible recipients of notices, each person once for a notice, and all that the person is to it. All of
 * them can get mail, do not ignore the bug, see it now, and have got no mail in an earlier attempt.
 */
export function selectRecipients(settings: Settings, involved: InvolvedIn) {
  return db
    .select({
      noticeId: sql<number>`${n.id}`.as('notice_id'),
      personId: sql<number>`${users.id}`.as('person_id'),
      involvements: sql<string>`json_group_array(DISTINCT
        json_array(involved.role, ${watched.id}, ${watched.login}, ${other.id}))`.as(
        'involvements',
      ),
    })
    .from(
      sql`(${selectInvolvedPeople(settings, involved)}) AS involved
        JOIN notices n ON ${n.id} = involved.notice_id
        JOIN bugs ON ${bugs.id} = ${n.bugId}
        JOIN users ON ${users.id} = involved.person_id
        LEFT JOIN users watched ON ${watched.id} = involved.watched_id
        LEFT JOIN bugs other ON ${other.id} = involved.blocked_id`,
    )
    .where(
      sql`${mailableAccountCondition(settings)}
        AND NOT EXISTS (SELECT 1 FROM notice_mails m
          WHERE ${m.noticeId} = ${n.id} AND ${m.userId} = ${users.id})
        AND ${bugVisibleToCondition(sql`${users.id}`)} AND NOT ${ignoresCondition(n.bugId)}
        AND (involved.blocked_id IS NULL
          OR (${bugVisibleToCondition(sql`${users.id}`, 'other')} AND NOT ${ignoresCondition(other.id)}))`,
    )
    .groupBy(n.id, users.id)
    .orderBy(n.id, users.id)
}

/** Selects the accounts of all recipients of notices, each once. */
export function selectMailedPeople(settings: Settings, involved: InvolvedIn) {
  return db
    .select({
      ...accountColumns,
      preferences: sql<string>`(
        SELECT json_group_array(json_array(${p.role}, ${p.event}, ${p.wanted}))
        FROM mail_preferences p WHERE ${p.userId} = ${users.id})`.as('preferences'),
    })
    .from(users)
    .where(
      sql`${users.id} IN (SELECT person_id FROM (${selectInvolvedPeople(settings, involved)}))
        AND ${mailableAccountCondition(settings)}`,
    )
}

function ignoresCondition(bugId: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM ignored_bugs i WHERE ${i.userId} = ${users.id} AND ${i.bugId} = ${bugId})`
}

/** Makes an account of a row of `selectMailedPeople`. */
export function parseMailedPerson(row: MailedPersonRow): MailedPerson {
  const preferences = JSON.parse(row.preferences) as [string, string, number][]
  return {
    person: requireEnabledPerson(row),
    preferences: preferences.map(([role, event, isOn]) => [role, event, isOn === 1]),
  }
}

export function parseRecipient(
  { involvements: json }: RecipientRow,
  mailed: MailedPerson,
): Recipient {
  const involvements = JSON.parse(json) as Involvement[]
  const inBug = involvements.filter(([, , , blockedId]) => blockedId === null)
  return {
    ...mailed,
    roles: inBug.flatMap(([role, id]) => (id === null && isMailRole(role) ? role : [])),
    watched: inBug.flatMap(([role, id, login]) => {
      const person = parseWatched(id, login)
      return person !== null && isMailRole(role) ? { role, person } : []
    }),
    isGlobalWatcher: inBug.some(([role]) => role === 'global_watcher'),
    blocked: involvements.flatMap(([role, watchedId, login, id]) =>
      id !== null && isMailRole(role) ? { role, watched: parseWatched(watchedId, login), id } : [],
    ),
  }
}

function parseWatched(id: number | null, login: string | null): WatchedRole['person'] | null {
  return id === null || login === null ? null : { id, login }
}

function isMailRole(role: string): role is MailRole {
  return MAIL_ROLES.some((known) => known === role)
}
