import type { SQL } from 'drizzle-orm'
import type { Person } from '../../platform/access/caller.ts'
import { isAttachmentVisibleTo } from '../../platform/access/visibility.ts'
import { attachments, history } from '../../platform/db/schema/bugs.ts'
import { flagActivity, flagTypes } from '../../platform/db/schema/flags.ts'
import { notices } from '../../platform/db/schema/notices.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import type { FlagNews } from '../bug-mail/content.ts'
import { splitItems } from '../history/links.ts'
import { isSwitchOn, type Preference } from './preferences.ts'
import type { FlagNewsRow } from './types.ts'

const n = aliasColumns(notices, 'n')
const a = aliasColumns(attachments, 'a')
const t = aliasColumns(flagTypes, 't')
const h = aliasColumns(history, 'h')
const u = aliasColumns(users, 'u')
const before = aliasColumns(flagActivity, 'before')
const p = aliasColumns(flagActivity, 'p')
const now = aliasColumns(flagActivity, 'now')

/** Selects the people whom flags concern in any role, and how. */
export function selectFlagNews(noticeIds: readonly number[]) {
  return db
    .select({
      noticeId: sql<number>`news.notice_id`.as('notice_id'),
      personId: sql<number>`news.person_id`.as('person_id'),
      part: sql<FlagNews['part']>`news.part`.as('part'),
      flag: sql<string>`news.flag`.as('flag'),
      status: sql<FlagNews['status']>`news.status`.as('status'),
      attachmentId: sql<number | null>`news.attachment_id`.as('attachment_id'),
      isAttachmentPrivate: sql<number | null>`${a.isPrivate}`.as('is_attachment_private'),
      submitterId: sql<number | null>`${a.submitterId}`.as('submitter_id'),
    })
    .from(
      sql`(${selectConcernedPeople(jsonList(noticeIds))}) AS news
        LEFT JOIN attachments a ON ${a.id} = news.attachment_id`,
    )
}

/** A select of `notice_id` and `person_id` of the people whom flags of changes concern. */
export function selectPeopleOfFlags(noticeIds: SQL): SQL {
  return sql`SELECT DISTINCT news.notice_id, news.person_id FROM (${selectConcernedPeople(noticeIds)}) AS news`
}

/** New requestees, setters of answered or withdrawn requests, and the CC lists of flag types. */
function selectConcernedPeople(noticeIds: SQL): SQL {
  // the plus forces the index of the bug, because an update of many bugs has one time for all of them
  const changed = sql`notices n JOIN flag_activity now ON ${now.bugId} = ${n.bugId}
      AND +${now.happenedAt} = ${n.happenedAt}
    JOIN flag_types t ON ${t.id} = ${now.typeId}`
  // another change of the bug may have the same time
  const isNamed = sql`instr(', ' || CASE ${now.status} WHEN 'X' THEN ${h.removed} ELSE ${h.added} END,
    ', ' || ${t.name} || CASE ${now.status} WHEN 'X' THEN '' ELSE ${now.status} END) > 0`
  const ofNotice = sql`${n.id} IN ${noticeIds}
    AND EXISTS (SELECT 1 FROM history h WHERE ${h.noticeId} = ${n.id}
      AND ${h.field} = 'flagtypes.name' AND ${h.attachmentId} IS ${now.attachmentId} AND ${isNamed})`
  const login = sql`substr(item.value, instr(item.value, '?(') + 2,
    length(item.value) - instr(item.value, '?(') - 2)`
  return sql`SELECT ${history.noticeId} AS notice_id, ${u.id} AS person_id, 'asked' AS part,
        substr(word.value, 1, instr(word.value, '?(') - 1) AS flag, '?' AS status,
        ${history.attachmentId} AS attachment_id
      FROM history JOIN ${splitItems(sql`${history.addedFold}`)} item
      JOIN ${splitItems(sql`${history.added}`)} word ON word.key = item.key
      JOIN users u ON ${u.loginFold} = ${login}
      WHERE ${history.noticeId} IN ${noticeIds} AND ${history.field} = 'flagtypes.name'
        AND instr(item.value, '?(') > 0
    UNION
    SELECT ${n.id}, ${before.setterId}, 'answered', ${t.name}, ${now.status}, ${now.attachmentId}
      FROM ${changed} JOIN flag_activity before ON ${before.status} = '?' AND ${before.id} = (
        SELECT max(${p.id}) FROM flag_activity p WHERE ${p.flagId} = ${now.flagId} AND ${p.id} < ${now.id})
      WHERE ${ofNotice} AND ${now.status} <> '?'
    UNION
    SELECT ${n.id}, ${u.id}, 'informed', ${t.name}, ${now.status}, ${now.attachmentId}
      FROM ${changed} JOIN ${splitItems(sql`lower(${t.ccList})`)} item JOIN users u ON ${u.loginFold} = item.value
      WHERE ${ofNotice} AND ${t.ccList} <> ''`
}

/**
 * Filters the news of flags for one person: not about own changes, about private attachments only for
 * insiders and their submitters, and not what the preferences of the person turn off.
 */
export function filterFlagNews(
  { person, preferences }: { person: Person; preferences: readonly Preference[] },
  news: readonly FlagNewsRow[],
  authorId: number,
): FlagNews[] {
  return news
    .filter(({ personId }) => personId === person.id && personId !== authorId)
    .filter((row) => isAttachmentVisibleTo(person, row))
    .filter(({ part }) => part === 'informed' || isSwitchOn(preferences, 'flags', part))
    .map(({ part, flag, status, attachmentId }) => ({ part, flag, status, attachmentId }))
}
