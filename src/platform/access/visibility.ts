import type { SQL, SQLWrapper } from 'drizzle-orm'
import { attachments, bugCc, bugGroups, bugs, comments } from '../db/schema/bugs.ts'
import { memberships } from '../db/schema/groups.ts'
import {
  classifications,
  components,
  GROUP_CONTROL,
  groupControls,
  products,
  versions,
} from '../db/schema/products.ts'
import { aliasColumns, anyOf, sql } from '../db/sql.ts'
import {
  type Caller,
  findProductsInScope,
  hasRole,
  isInsider,
  type Person,
  type Viewer,
} from './caller.ts'
import { productInScopeCondition } from './key-scope.ts'

/** The columns of a bug by the name that the table has in a query. */
const BUGS = { bugs: aliasColumns(bugs, 'bugs'), other: aliasColumns(bugs, 'other') }

/** In the text of the statement, so that it takes no bound parameter. */
const MANDATORY = sql.raw(String(GROUP_CONTROL.MANDATORY))

/**
 * Visibility as SQL conditions. They refer to the tables `comments` and `attachments` by name, so a query
 * that uses them must not give those an alias. They bind few parameters, because a statement about a bug
 * and all its relations repeats them and D1 binds at most 100.
 */

/**
 * A bug in no group is visible to everybody; otherwise to members of all its groups, its assignee, its QA contact
 * and, unless the bug excludes them, its reporter and its CC list. Through an API key that is limited to products no
 * other bug is visible. `alias` is the name of the bugs table in the query.
 */
export function visibleBugCondition(viewer: Viewer, alias: 'bugs' | 'other' = 'bugs'): SQL {
  switch (viewer.kind) {
    case 'system':
      return sql`1`
    case 'anonymous':
      return sql`${BUGS[alias].groupCount} = 0`
    case 'person':
      return 'hasFullRights' in viewer
        ? sql`1`
        : restrictToScope(
            viewer,
            BUGS[alias].productId,
            bugVisibleToCondition(sql`${viewer.id}`, alias),
          )
  }
}

/** Whether the product of a bug, by its ID, is one that the API key of the viewer is limited to, if it is. */
export function bugInScopeCondition(viewer: Viewer, bugId: SQLWrapper): SQL {
  const { id, productId } = BUGS.other
  const isInScope = productInScopeCondition(findProductsInScope(viewer), productId)
  return isInScope === null
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM bugs other WHERE ${id} = ${bugId} AND ${isInScope})`
}

/** A condition on a product, which through an API key that is limited to others does not hold. */
function restrictToScope(viewer: Viewer, product: SQLWrapper, condition: SQL): SQL {
  const isInScope = productInScopeCondition(findProductsInScope(viewer), product)
  return isInScope === null ? condition : sql`(${isInScope} AND ${condition})`
}

/**
 * The same condition for the ID `person`, which may be a column, so that one statement decides for many
 * people.
 */
export function bugVisibleToCondition(person: SQL, alias: 'bugs' | 'other' = 'bugs'): SQL {
  const b = BUGS[alias]
  return sql`(${b.groupCount} = 0
      OR ${person} IN (${b.assignedToId}, coalesce(${b.qaContactId}, 0),
        CASE WHEN ${b.isCreatorAccessible} = 1 THEN ${b.reporterId} ELSE 0 END)
      OR (${b.isCcAccessible} = 1 AND EXISTS (
        SELECT 1 FROM bug_cc WHERE ${bugCc.bugId} = ${b.id} AND ${bugCc.userId} = ${person}))
      OR NOT EXISTS (
        SELECT 1 FROM bug_groups WHERE ${bugGroups.bugId} = ${b.id} AND NOT EXISTS (
          SELECT 1 FROM memberships WHERE ${memberships.userId} = ${person}
            AND ${memberships.groupId} = ${bugGroups.groupId})))`
}

/** Everything of a bug that decides who sees it. */
export type BugVisibility = {
  readonly reporterId: number
  readonly assignedToId: number
  readonly qaContactId: number | null
  readonly isCcAccessible: boolean
  readonly isCreatorAccessible: boolean
  readonly groupIds: readonly number[]
  /** The people on the CC list, or at least those for whom visibility is decided. */
  readonly ccIds: readonly number[]
}

/**
 * The rule of `bugVisibleToCondition` for a bug that is not in the database yet.
 * `test/contract/privacy/bug-visibility.property.test.ts` compares the two.
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
 * Private comments are visible to insiders alone, and not to an author who is no insider. A comment on a private
 * attachment is visible to those who see the attachment.
 */
export function visibleCommentCondition(viewer: Viewer): SQL {
  return isInsider(viewer)
    ? sql`1`
    : sql`(${comments.isPrivate} = 0 AND (${comments.attachmentId} IS NULL OR EXISTS (
        SELECT 1 FROM attachments
        WHERE ${attachments.id} = ${comments.attachmentId} AND ${visibleAttachmentCondition(viewer)})))`
}

/**
 * The number of comments on the bug that the viewer sees. The counters of a bug allow for private comments,
 * but not for comments on private attachments, which have an index of their own.
 */
export function visibleCommentCount(viewer: Viewer): SQL {
  return isInsider(viewer)
    ? sql`${bugs.commentCount}`
    : sql`(${bugs.publicCommentCount} - (SELECT count(*) FROM attachments
        JOIN comments ON ${comments.attachmentId} = ${attachments.id} AND ${comments.isPrivate} = 0
        WHERE ${attachments.bugId} = ${bugs.id} AND ${attachments.isPrivate} = 1
          AND NOT ${visibleAttachmentCondition(viewer)}))`
}

/** Private attachments are visible to insiders and to their submitter. */
export function visibleAttachmentCondition(viewer: Viewer): SQL {
  if (isInsider(viewer)) {
    return sql`1`
  }
  return viewer.kind === 'person'
    ? sql`(${attachments.isPrivate} = 0 OR ${attachments.submitterId} = ${viewer.id})`
    : sql`${attachments.isPrivate} = 0`
}

/** What decides who sees an attachment, or what belongs to one; nulls for what belongs to none. */
export type AttachmentPrivacy = {
  readonly isAttachmentPrivate: number | null
  readonly submitterId: number | null
}

/**
 * The rule of `visibleCommentCondition` for a comment that was read for many people at once.
 * `test/platform/access/visibility-comments.test.ts` compares the two.
 */
export function isCommentVisibleTo(
  viewer: Person,
  comment: AttachmentPrivacy & { readonly isPrivate: boolean },
): boolean {
  return isInsider(viewer) || (!comment.isPrivate && isAttachmentVisibleTo(viewer, comment))
}

/**
 * `visibleAttachmentCondition` for rows that were read for many people at once.
 * `test/platform/access/visibility-comments.test.ts` compares the two.
 */
export function isAttachmentVisibleTo(
  viewer: Person,
  { isAttachmentPrivate, submitterId }: AttachmentPrivacy,
): boolean {
  return isInsider(viewer) || isAttachmentPrivate !== 1 || submitterId === viewer.id
}

/**
 * Private attachments are found by insiders alone, not by their submitter, and so is what belongs to them.
 */
export function searchableAttachmentCondition(viewer: Viewer): SQL {
  return isInsider(viewer) ? sql`1` : sql`${attachments.isPrivate} = 0`
}

/**
 * A product may be searched unless a mandatory group of it excludes the caller; closed products remain searchable.
 */
export function selectableProductCondition(caller: Caller): SQL {
  return restrictToScope(caller, products.id, noMandatoryGroupCondition(notMemberCondition(caller)))
}

/** The same condition for the ID `person`, which may be a column. */
export function productSelectableByCondition(person: SQL): SQL {
  return noMandatoryGroupCondition(isNotMemberCondition(person))
}

function noMandatoryGroupCondition(isNotMember: SQL): SQL {
  return sql`NOT EXISTS (
    SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
      AND ${groupControls.memberControl} = ${MANDATORY} AND ${isNotMember})`
}

/**
 * A classification is visible to those who may search one of its products, and to members of `editclassifications`.
 */
export function visibleClassificationCondition(caller: Caller): SQL {
  if (caller.kind === 'system' || hasRole(caller, 'editclassifications')) {
    return sql`1`
  }
  return sql`EXISTS (SELECT 1 FROM products
    WHERE ${products.classificationId} = ${classifications.id} AND ${selectableProductCondition(caller)})`
}

/**
 * Bugs may be filed in a product that is open, has an active component and an active version, and all of whose entry
 * groups the caller belongs to.
 */
export function enterableProductCondition(caller: Caller): SQL {
  return restrictToScope(
    caller,
    products.id,
    sql`(${products.isActive} = 1
    AND EXISTS (SELECT 1 FROM components
      WHERE ${components.productId} = ${products.id} AND ${components.isActive} = 1)
    AND EXISTS (SELECT 1 FROM versions
      WHERE ${versions.productId} = ${products.id} AND ${versions.isActive} = 1)
    AND NOT EXISTS (SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
      AND ${groupControls.entry} = 1 AND ${notMemberCondition(caller)}))`,
  )
}

/** Whether the caller may search a row of `products` or file bugs in it. */
export function accessibleProductCondition(caller: Caller): SQL {
  return anyOf([selectableProductCondition(caller), enterableProductCondition(caller)])
}

/** Bugs of a product may be changed by members of all its groups with `canedit`. */
export function editableProductCondition(caller: Caller): SQL {
  return restrictToScope(
    caller,
    products.id,
    sql`NOT EXISTS (SELECT 1 FROM group_controls
    WHERE ${groupControls.productId} = ${products.id} AND ${groupControls.canEdit} = 1 AND ${notMemberCondition(caller)})`,
  )
}

/**
 * `editcomponents`, or a group with this right in the product, may change its components, versions and
 * milestones, except through an API key that may not administer.
 */
export function configurableProductCondition(caller: Caller): SQL {
  if (caller.kind === 'person' && caller.scope?.canAdminister === false) {
    return sql`0`
  }
  return hasRole(caller, 'editcomponents')
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM group_controls WHERE ${groupControls.productId} = ${products.id}
        AND ${groupControls.editComponents} = 1 AND NOT (${notMemberCondition(caller)}))`
}

function notMemberCondition(caller: Caller): SQL {
  switch (caller.kind) {
    case 'system':
      return sql`0`
    case 'anonymous':
      return sql`1`
    case 'person':
      if (caller.hasFullRights) {
        return sql`0`
      }
      return isNotMemberCondition(sql`${caller.id}`)
  }
}

function isNotMemberCondition(person: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM memberships
    WHERE ${memberships.userId} = ${person} AND ${memberships.groupId} = ${groupControls.groupId})`
}
