import type { SQL } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import { isInsider } from '../access/rights.ts'
import { db } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { items } from '../history/links.ts'
import type { FlagNews } from '../mail/bug-mail-content.ts'
import type { Preference } from './preferences.ts'
import { isOfHiddenAttachment } from './redact.ts'
import type { FlagNewsRow, NoticeKey } from './types.ts'

/** Reads whom the flags of a change concern beside their part in the bug, and how. Contract "Events". */
export function selectFlagNews(notice: NoticeKey) {
  return db
    .select({
      personId: sql<number>`news.person_id`.as('person_id'),
      part: sql<FlagNews['part']>`news.part`.as('part'),
      flag: sql<string>`news.flag`.as('flag'),
      status: sql<FlagNews['status']>`news.status`.as('status'),
      attachmentId: sql<number | null>`news.attachment_id`.as('attachment_id'),
      isAttachmentPrivate: sql<number | null>`a.is_private`.as('is_attachment_private'),
      submitterId: sql<number | null>`a.submitter_id`.as('submitter_id'),
    })
    .from(
      sql`(${selectConcernedPeople(notice)}) AS news LEFT JOIN attachments a ON a.id = news.attachment_id`,
    )
}

/** The people that flags concern, as a select of `person_id`. */
export function selectPeopleOfFlags(notice: NoticeKey): SQL {
  return sql`SELECT news.person_id FROM (${selectConcernedPeople(notice)}) AS news`
}

/** Who is newly asked, whose request is answered or withdrawn, and whom the type keeps informed. */
function selectConcernedPeople(notice: NoticeKey): SQL {
  const changed = sql`flag_activity now JOIN flag_types t ON t.id = now.type_id`
  // by the index of its bug: an update of many bugs happens to all of them at one moment
  const ofNotice = sql`now.bug_id = ${notice.bugId} AND +now.happened_at = ${notice.happenedAt}
    AND EXISTS (SELECT 1 FROM history h WHERE h.notice_id = ${notice.id}
      AND h.field = 'flagtypes.name' AND h.attachment_id IS now.attachment_id)`
  const login = sql`substr(item.value, instr(item.value, '?(') + 2,
    length(item.value) - instr(item.value, '?(') - 2)`
  return sql`SELECT u.id AS person_id, 'asked' AS part,
        substr(word.value, 1, instr(word.value, '?(') - 1) AS flag, '?' AS status,
        history.attachment_id AS attachment_id
      FROM history JOIN ${items(sql`history.added_fold`)} item
      JOIN ${items(sql`history.added`)} word ON word.key = item.key
      JOIN users u ON u.login_fold = ${login}
      WHERE history.notice_id = ${notice.id} AND history.field = 'flagtypes.name'
        AND instr(item.value, '?(') > 0
    UNION
    SELECT before.setter_id, 'answered', t.name, now.status, now.attachment_id
      FROM ${changed} JOIN flag_activity before ON before.status = '?' AND before.id = (
        SELECT max(p.id) FROM flag_activity p WHERE p.flag_id = now.flag_id AND p.id < now.id)
      WHERE ${ofNotice} AND now.status <> '?'
    UNION
    SELECT u.id, 'informed', t.name, now.status, now.attachment_id
      FROM ${changed} JOIN ${items(sql`lower(t.cc_list)`)} item JOIN users u ON u.login_fold = item.value
      WHERE ${ofNotice} AND t.cc_list <> ''`
}

/**
 * What a person is told of flags: nothing of what they did themselves, of private attachments only as an
 * insider or as who submitted them, and not what they have switched off.
 */
export function filterFlagNews(
  { person, preferences }: { person: Person; preferences: readonly Preference[] },
  news: readonly FlagNewsRow[],
  authorId: number,
): FlagNews[] {
  const isOff = (part: string) =>
    preferences.some(([role, event, wanted]) => role === 'flags' && event === part && !wanted)
  return news
    .filter(({ personId }) => personId === person.id && personId !== authorId)
    .filter((row) => isInsider(person) || !isOfHiddenAttachment(row, person))
    .filter(({ part }) => !isOff(part))
    .map(({ part, flag, status, attachmentId }) => ({ part, flag, status, attachmentId }))
}
