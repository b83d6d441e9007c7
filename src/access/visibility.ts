import type { SQL } from 'drizzle-orm'
import { attachments } from '../db/schema/attachments.ts'
import { bugCc, bugGroups } from '../db/schema/bug-sets.ts'
import { bugs } from '../db/schema/bugs.ts'
import { comments } from '../db/schema/comments.ts'
import { components } from '../db/schema/components.ts'
import { memberships } from '../db/schema/groups.ts'
import {
  classifications,
  GROUP_CONTROL,
  groupControls,
  products,
  versions,
} from '../db/schema/products.ts'
import { sql } from '../db/sql.ts'
import { type Caller, hasRole, type Viewer } from './caller.ts'
import { isInsider } from './rights.ts'

/** Stands in the text of statements, so that it takes none of their parameters. */
const MANDATORY = sql.raw(String(GROUP_CONTROL.MANDATORY))

/**
 * Who sees what, as SQL conditions. They name the tables `comments` and `attachments` as they are, so a
 * query that uses them must not give those an alias. Each names its person as seldom as can be: a
 * statement about a bug and all its relations asks many times, and D1 binds 100 parameters.
 */

/**
 * A bug is seen by everybody when it is in no group; otherwise by members of all its groups, its
 * assignee, its QA contact, and, unless switched off for the bug, its reporter and its CC list. `alias`
 * is the name of the bugs table in the query at hand. Contract "Data format rules".
 */
export function visibleBugCondition(viewer: Viewer, alias: 'bugs' | 'other' = 'bugs'): SQL {
  const b = sql.raw(alias)
  switch (viewer.kind) {
    case 'system':
      return sql`1`
    case 'anonymous':
      return sql`${b}.group_count = 0`
    case 'person':
      return bugVisibleToCondition(sql`${viewer.id}`, alias)
  }
}

/**
 * The same for the person whose ID stands in `person`, which may be a column, so that one statement decides
 * for many people.
 */
export function bugVisibleToCondition(person: SQL, alias: 'bugs' | 'other' = 'bugs'): SQL {
  const b = sql.raw(alias)
  return sql`(${b}.group_count = 0
      OR ${person} IN (${b}.assigned_to_id, coalesce(${b}.qa_contact_id, 0),
        CASE WHEN ${b}.is_creator_accessible = 1 THEN ${b}.reporter_id ELSE 0 END)
      OR (${b}.is_cc_accessible = 1 AND EXISTS (
        SELECT 1 FROM bug_cc WHERE ${bugCc.bugId} = ${b}.id AND ${bugCc.userId} = ${person}))
      OR NOT EXISTS (
        SELECT 1 FROM bug_groups WHERE ${bugGroups.bugId} = ${b}.id AND NOT EXISTS (
          SELECT 1 FROM memberships WHERE ${memberships.userId} = ${person}
            AND ${memberships.groupId} = ${bugGroups.groupId})))`
}

/** What decides who sees a bug. */
export type BugVisibility = {
  readonly reporterId: number
  readonly assignedToId: number
  readonly qaContactId: number | null
  readonly isCcAccessible: boolean
  readonly isCreatorAccessible: boolean
  readonly groupIds: readonly number[]
  /** The CC list, or at least those on it who are asked about. */
  readonly ccIds: readonly number[]
}

/**
 * The rule of `bugVisibleToCondition` for a bug that no statement can ask, because it is not written yet.
 * `test/contract/bug-visibility.property.test.ts` holds both against each other.
 */
export function isBugVisibleTo(
  { id, groups }: { readonly id: number; readonly groups: ReadonlySet<number> },
  bug: BugVisibility,
): boolean {
  return (
    bug.groupIds.every((group) => groups.has(group)) ||
    bug.assignedToId === id ||
    bug.qaContactId === id ||
    (bug.isCreatorAccessible && bug.reporterId === id) ||
    (bug.isCcAccessible && bug.ccIds.includes(id))
  )
}

/**
 * Private comments are for insiders, even when somebody else wrote them. What is said about a private
 * attachment is for whoever sees that. Contract "Comments" and "Attachment".
 */
export function visibleCommentCondition(viewer: Viewer): SQL {
  return isInsider(viewer)
    ? sql`1`
    : sql`(${comments.isPrivate} = 0 AND (${comments.attachmentId} IS NULL OR EXISTS (
        SELECT 1 FROM attachments
        WHERE ${attachments.id} = ${comments.attachmentId} AND ${visibleAttachmentCondition(viewer)})))`
}

/**
 * How many comments of the bug at hand the caller sees. The counters of the bug know of private comments
 * and nothing of private attachments.
 */
export function visibleCommentCount(viewer: Viewer): SQL {
  return isInsider(viewer)
    ? sql`${bugs.commentCount}`
    : sql`(${bugs.publicCommentCount} - (SELECT count(*) FROM attachments
        JOIN comments ON ${comments.attachmentId} = ${attachments.id} AND ${comments.isPrivate} = 0
        WHERE ${attachments.bugId} = ${bugs.id} AND NOT ${visibleAttachmentCondition(viewer)}))`
}

/** Private attachments are for insiders and for who submitted them. Contract "Attachment". */
export function visibleAttachmentCondition(viewer: Viewer): SQL {
  if (isInsider(viewer)) {
    return sql`1`
  }
  return viewer.kind === 'person'
    ? sql`(${attachments.isPrivate} = 0 OR ${attachments.submitterId} = ${viewer.id})`
    : sql`${attachments.isPrivate} = 0`
}

/**
 * A product may be searched unless it makes a group mandatory that the caller is not in; closed products
 * stay searchable. Contract "Products".
 */
export function selectableProductCondition(caller: Caller): SQL {
  return sql`NOT EXISTS (
    SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
      AND ${groupControls.memberControl} = ${MANDATORY} AND ${notMember(caller)})`
}

/**
 * A classification is known to whoever may search one of its products, and to those who edit
 * classifications. Contract "Data format rules".
 */
export function visibleClassificationCondition(caller: Caller): SQL {
  if (caller.kind === 'system' || hasRole(caller, 'editclassifications')) {
    return sql`1`
  }
  return sql`EXISTS (SELECT 1 FROM products
    WHERE ${products.classificationId} = ${classifications.id} AND ${selectableProductCondition(caller)})`
}

/**
 * Bugs may be filed in a product that is open, has an active component and an active version, and whose
 * entry groups the caller is all in. Contract "Products".
 */
export function enterableProductCondition(caller: Caller): SQL {
  return sql`(${products.isActive} = 1
    AND EXISTS (SELECT 1 FROM components
      WHERE ${components.productId} = ${products.id} AND ${components.isActive} = 1)
    AND EXISTS (SELECT 1 FROM versions
      WHERE ${versions.productId} = ${products.id} AND ${versions.isActive} = 1)
    AND NOT EXISTS (SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
      AND ${groupControls.entry} = 1 AND ${notMember(caller)}))`
}

/**
 * Bugs of a product may be changed by whoever is in all its groups with `canedit`. Contract "Bugs".
 */
export function editableProductCondition(caller: Caller): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM group_controls
    WHERE ${groupControls.productId} = ${products.id} AND ${groupControls.canEdit} = 1 AND ${notMember(caller)})`
}

/**
 * Components, versions and milestones of a product are changed by members of `editcomponents`, and by
 * those of groups that have this right in the product. Contract "Authentication".
 */
export function configurableProductCondition(caller: Caller): SQL {
  return hasRole(caller, 'editcomponents')
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
        AND ${groupControls.editComponents} = 1 AND NOT (${notMember(caller)}))`
}

function notMember(caller: Caller): SQL {
  switch (caller.kind) {
    case 'system':
      return sql`0`
    case 'anonymous':
      return sql`1`
    case 'person':
      return sql`NOT EXISTS (SELECT 1 FROM memberships
        WHERE ${memberships.userId} = ${caller.id} AND ${memberships.groupId} = ${groupControls.groupId})`
  }
}
