import type { SQL, SQLWrapper } from 'drizzle-orm'
import { attachments, bugs, comments, history } from '../db/schema/bugs.ts'
import { groups, memberships } from '../db/schema/groups.ts'
import { type AliasedColumns, aliasColumns, sql } from '../db/sql.ts'
import {
  ANONYMOUS,
  type Caller,
  canTrackTime,
  isInsider,
  type Person,
  type Viewer,
} from './caller.ts'
import type { Role } from './roles.ts'
import {
  type AttachmentPrivacy,
  isCommentVisibleTo,
  visibleAttachmentCondition,
  visibleCommentCondition,
} from './visibility.ts'

/**
 * Who sees changes of private comments and attachments, and hours. Hours are for time trackers, and as
 * private as the comment with which they were recorded.
 */

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groups, 'g')
const w = aliasColumns(comments, 'w')

/** In history, that a comment became private or public. */
const PRIVACY_FIELD = 'longdescs.isprivate'
const HOURS_FIELDS = ['estimated_time', 'remaining_time', 'work_time']
const HOURS = sql.raw(HOURS_FIELDS.map((field) => `'${field}'`).join(', '))

/** Whether somebody may make private what was public, or the reverse. */
export function maySetPrivacy(caller: Caller, before: boolean, after: boolean): boolean {
  return before === after || isInsider(caller)
}

/** The person as one to whom nothing private is shown. */
export function asOutsider(person: Person): Person {
  return { ...person, roles: new Set([...person.roles].filter((role) => role !== 'insider')) }
}

/** Whether a thing that may be private is hidden from somebody who has no other claim to it. */
export function isHiddenAsPrivate(
  viewer: { readonly isInsider: boolean },
  thing: { readonly isPrivate: boolean },
): boolean {
  return thing.isPrivate && !viewer.isInsider
}

/** Whether the person with the ID `person`, which may be a column, is an insider now. */
export function isInsiderCondition(person: SQLWrapper): SQL {
  return personHasRoleCondition(person, 'insider')
}

function personHasRoleCondition(person: SQLWrapper, role: Role): SQL {
  return sql`EXISTS (SELECT 1 FROM memberships m JOIN access_groups g ON ${g.id} = ${m.groupId}
    WHERE ${m.userId} = ${person} AND ${g.role} = ${role})`
}

/** Whether `person`, which may be a column, may see something private if `isPrivate`, hours if `isTimed`. */
export function mayKnowCondition(
  person: SQLWrapper,
  { isPrivate, isTimed }: { isPrivate: SQL; isTimed: SQL },
): SQL {
  return sql`(${isPrivate} = 0 OR ${isInsiderCondition(person)})
    AND (${isTimed} = 0 OR ${personHasRoleCondition(person, 'timetracking')})`
}

/** 1 for a private attachment, by its ID, else 0. */
export function attachmentPrivacy(attachmentId: SQLWrapper): SQL {
  return sql`coalesce((SELECT ${attachments.isPrivate} FROM attachments
    WHERE ${attachments.id} = ${attachmentId}), 0)`
}

/** 1 for a row of `comments` that is private or belongs to a private attachment, else 0. */
export function commentPrivacy(): SQL {
  return sql`max(${comments.isPrivate}, ${attachmentPrivacy(comments.attachmentId)})`
}

/** Whether a row of `history`, under any alias, is a change of hours. */
export function isChangeOfHours({ field }: Pick<AliasedColumns<typeof history>, 'field'>): SQL {
  return sql`${field} IN (${HOURS})`
}

/** Whether a row of `history`, under any alias, is a change of a private comment, or of its privacy. */
export function isChangeOfPrivateComment({
  field,
  commentId,
}: Pick<AliasedColumns<typeof history>, 'field' | 'commentId'>): SQL {
  return sql`(${field} = ${sql.raw(`'${PRIVACY_FIELD}'`)} OR EXISTS (SELECT 1 FROM comments
    WHERE ${comments.id} = ${commentId} AND ${comments.isPrivate} = 1))`
}

/**
 * The conditions on rows of `history`, which has no alias, that hide whole rows: private comments and attachments,
 * and hours. Private attachments are visible as they are to `attachmentViewer`.
 */
export function visibleRowConditions(caller: Caller, attachmentViewer: Viewer = caller): SQL[] {
  const attachment = sql`(${history.attachmentId} IS NULL OR EXISTS (SELECT 1 FROM attachments
    WHERE ${attachments.id} = ${history.attachmentId} AND ${visibleAttachmentCondition(attachmentViewer)}))`
  const comment = sql`(${history.commentId} IS NULL OR EXISTS (SELECT 1 FROM comments
    WHERE ${comments.id} = ${history.commentId} AND ${visibleCommentCondition(caller)}))`
  const privacy = sql`${history.field} <> ${sql.raw(`'${PRIVACY_FIELD}'`)}`
  const hours = sql`${history.field} NOT IN (${HOURS})`
  const publicWork = sql`NOT (${history.field} = 'work_time' AND EXISTS (SELECT 1 FROM comments
    WHERE ${comments.noticeId} = ${history.noticeId} AND ${comments.workTime} <> 0
      AND ${comments.isPrivate} = 1))`
  return [
    ...(isInsider(caller) ? [] : [attachment, comment, privacy]),
    ...(canTrackTime(caller) ? [] : [hours]),
    ...(canTrackTime(caller) && !isInsider(caller) ? [publicWork] : []),
  ]
}

/**
 * The same for searches, which are stricter: they take private attachments for hidden even from who submitted them,
 * and deadlines for hours.
 */
export function searchableRowConditions(caller: Caller): SQL[] {
  return [
    ...visibleRowConditions(caller, isInsider(caller) ? caller : ANONYMOUS),
    ...(canTrackTime(caller) ? [] : [sql`${history.field} <> 'deadline'`]),
  ]
}

/** The privacy of a row of `history` for `isChangeVisibleTo`, with the comment that it is about joined to it. */
export function changePrivacy(): SQL<number | null> {
  return sql`coalesce(${comments.isPrivate}, (SELECT max(${w.isPrivate}) FROM comments w
    WHERE ${history.field} = 'work_time' AND ${w.noticeId} = ${history.noticeId} AND ${w.workTime} <> 0))`
}

/** The rule of `visibleRowConditions` for a change that was read for many people at once. */
export function isChangeVisibleTo(
  person: Person,
  change: AttachmentPrivacy & { readonly field: string; readonly isCommentPrivate: number | null },
): boolean {
  const { field } = change
  return (
    isCommentVisibleTo(person, { ...change, isPrivate: change.isCommentPrivate === 1 }) &&
    (isInsider(person) || field !== PRIVACY_FIELD) &&
    (canTrackTime(person) || !HOURS_FIELDS.includes(field))
  )
}

/** Hours on private comments are for insiders. */
export function hoursWorked(viewer: Viewer): SQL {
  return sql`${isInsider(viewer) ? bugs.workedTime : bugs.publicWorkedTime}`
}
