import { type SQL, sql } from 'drizzle-orm'
import { bugs } from '../db/schema/bugs.ts'
import type { Caller } from './caller.ts'
import { isInsider } from './rights.ts'

/**
 * Who sees what, as SQL conditions. They name the tables `bugs`, `comments` and `attachments` as they
 * are, so a query that uses them must not give those an alias.
 */

/**
 * A bug is seen by everybody when it is in no group; otherwise by members of all its groups, its
 * assignee, its QA contact, and, unless switched off for the bug, its reporter and its CC list.
 * Contract "Data format rules", 4.
 */
export function visibleBug(caller: Caller): SQL {
  switch (caller.kind) {
    case 'system':
      return sql`1`
    case 'anonymous':
      return sql`${bugs.groupCount} = 0`
    case 'person':
      return sql`(bugs.group_count = 0
        OR bugs.assigned_to_id = ${caller.id}
        OR coalesce(bugs.qa_contact_id, 0) = ${caller.id}
        OR (bugs.is_creator_accessible = 1 AND bugs.reporter_id = ${caller.id})
        OR (bugs.is_cc_accessible = 1 AND EXISTS (
          SELECT 1 FROM bug_cc WHERE bug_cc.bug_id = bugs.id AND bug_cc.user_id = ${caller.id}))
        OR NOT EXISTS (
          SELECT 1 FROM bug_groups WHERE bug_groups.bug_id = bugs.id AND NOT EXISTS (
            SELECT 1 FROM memberships WHERE memberships.user_id = ${caller.id}
              AND memberships.group_id = bug_groups.group_id)))`
  }
}

/** Whether the bug with the ID in `column` is seen; for links from one bug to another. */
export function visibleBugId(caller: Caller, column: SQL): SQL {
  return sql`EXISTS (SELECT 1 FROM bugs WHERE bugs.id = ${column} AND ${visibleBug(caller)})`
}

/** Private comments are for insiders, even when somebody else wrote them. */
export function visibleComment(caller: Caller): SQL {
  return isInsider(caller) ? sql`1` : sql`comments.is_private = 0`
}

/** Private attachments are for insiders and for who submitted them. Contract "Attachment". */
export function visibleAttachment(caller: Caller): SQL {
  if (isInsider(caller)) {
    return sql`1`
  }
  return caller.kind === 'person'
    ? sql`(attachments.is_private = 0 OR attachments.submitter_id = ${caller.id})`
    : sql`attachments.is_private = 0`
}

/**
 * A product may be searched unless it makes a group mandatory that the caller is not in; closed products
 * stay searchable. Contract "Products".
 */
export function selectableProduct(caller: Caller): SQL {
  return sql`NOT EXISTS (
    SELECT 1 FROM group_controls WHERE group_controls.product_id = products.id
      AND group_controls.membercontrol = 3 AND ${notMember(caller)})`
}

/**
 * Bugs may be filed in a product that is open, has an active component and an active version, and whose
 * entry groups the caller is all in. Contract "Products".
 */
export function enterableProduct(caller: Caller): SQL {
  return sql`(products.is_active = 1
    AND EXISTS (SELECT 1 FROM components
      WHERE components.product_id = products.id AND components.is_active = 1)
    AND EXISTS (SELECT 1 FROM versions
      WHERE versions.product_id = products.id AND versions.is_active = 1)
    AND NOT EXISTS (SELECT 1 FROM group_controls WHERE group_controls.product_id = products.id
      AND group_controls.entry = 1 AND ${notMember(caller)}))`
}

function notMember(caller: Caller): SQL {
  switch (caller.kind) {
    case 'system':
      return sql`0`
    case 'anonymous':
      return sql`1`
    case 'person':
      return sql`NOT EXISTS (SELECT 1 FROM memberships
        WHERE memberships.user_id = ${caller.id} AND memberships.group_id = group_controls.group_id)`
  }
}
