import type { SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import type { Statement } from '../db/commit.ts'
import { bugGroups } from '../db/schema/bug-sets.ts'
import { bugs } from '../db/schema/bugs.ts'
import { groups } from '../db/schema/groups.ts'
import { GROUP_CONTROL, groupControls } from '../db/schema/products.ts'
import { aliasColumns, jsonList, limitTo, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'

const c = aliasColumns(groupControls, 'c')
const g = aliasColumns(groups, 'g')
const b = aliasColumns(bugGroups, 'b')

/**
 * What the administration of groups does to bugs that exist. It stands in their history, but is no change
 * of theirs: nobody gets mail, and the time of their last change stays.
 */

/** Bugs and groups to add to them or to remove: a select of `bug_id` and `group_id`. */
export type BugGroupPairs = SQL

/** Who acts, and when in Unix seconds. */
export type Actor = { readonly by: number; readonly at: number }

/** More are not written in one commit; Update Bug brings the number down beforehand. */
export const MOST_BUGS = 20_000

/** The bugs that lack a group which is mandatory in their product, of the groups that `groupIds` selects. */
export function selectLackingMandatory(groupIds: SQL | readonly number[]): BugGroupPairs {
  const own = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  return sql`SELECT ${bugs.id} AS bug_id, ${c.groupId} AS group_id FROM group_controls c
    JOIN bugs ON ${bugs.productId} = ${c.productId}
    WHERE ${c.groupId} IN ${own} AND ${c.memberControl} = ${GROUP_CONTROL.MANDATORY} AND ${outsideCondition(sql`${c.groupId}`)}`
}

/** The bugs of a product that are not in a group. Both IDs may be SQL. */
export function selectOutsideGroup(productId: number | SQL, groupId: number | SQL): BugGroupPairs {
  return sql`SELECT ${bugs.id} AS bug_id, ${g.id} AS group_id FROM access_groups g JOIN bugs
    WHERE ${g.id} = ${groupId} AND ${bugs.productId} = ${productId} AND ${outsideCondition(sql`${g.id}`)}`
}

/** The bugs of a product that are in a group. Both IDs may be SQL. */
export function selectInsideGroup(productId: number | SQL, groupId: number | SQL): BugGroupPairs {
  return sql`SELECT ${b.bugId} AS bug_id, ${b.groupId} AS group_id FROM bug_groups b
    JOIN bugs ON ${bugs.id} = ${b.bugId}
    WHERE ${b.groupId} = ${groupId} AND ${bugs.productId} = ${productId}`
}

/** How many pairs there are, counted no further than to one that is too many. */
export function countPairs(pairs: BugGroupPairs) {
  return db
    .select({ number: sql<number>`count(*)`.as('number') })
    .from(sql`(${pairs} ${limitTo(MOST_BUGS + 1)})`)
}

/** Fault 32000 when `countPairs` found more than one commit may write. */
export function assertPairLimit(counted: readonly { readonly number: number }[] | undefined): void {
  if ((counted?.[0]?.number ?? 0) > MOST_BUGS) {
    throw fault('tooManyBugs', { most: MOST_BUGS })
  }
}

/** Adds the groups to the bugs, with their history. */
export function addGroupsStatements(pairs: BugGroupPairs, actor: Actor): Statement[] {
  return [
    historyStatement(pairs, actor, 'added'),
    sql`INSERT OR IGNORE INTO bug_groups (bug_id, group_id)
      SELECT t.bug_id, t.group_id FROM (${pairs}) t WHERE true`,
  ]
}

/** Removes the groups from the bugs, with their history. */
export function removeGroupsStatements(pairs: BugGroupPairs, actor: Actor): Statement[] {
  return [
    historyStatement(pairs, actor, 'removed'),
    sql`DELETE FROM bug_groups WHERE (bug_id, group_id) IN (
      SELECT t.bug_id, t.group_id FROM (${pairs}) t)`,
  ]
}

/** One row for each bug, never older than what has happened to it before. */
function historyStatement(
  pairs: BugGroupPairs,
  { by, at }: Actor,
  side: 'added' | 'removed',
): Statement {
  const names = (column: string) =>
    sql.raw(`group_concat(g.${column}, ', ' ORDER BY g.name_fold) AS ${column}`)
  const cells =
    side === 'added' ? sql`'', '', t.name, t.name_fold` : sql`t.name, t.name_fold, '', ''`
  return sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
      added_fold)
    SELECT t.bug_id, ${by}, max(${bugs.changedAt}, ${at}), 'groups', ${cells}
    FROM (SELECT p.bug_id, ${names('name')}, ${names('name_fold')}
      FROM (${pairs}) p JOIN access_groups g ON ${g.id} = p.group_id GROUP BY p.bug_id) t
    JOIN bugs ON ${bugs.id} = t.bug_id ORDER BY t.bug_id`
}

function outsideCondition(groupId: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM bug_groups b
    WHERE ${b.bugId} = ${bugs.id} AND ${b.groupId} = ${groupId})`
}
