import type { SQL } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { bugGroups, bugs, history } from '../db/schema/bugs.ts'
import { groups } from '../db/schema/groups.ts'
import { GROUP_CONTROL, groupControls } from '../db/schema/products.ts'
import { aliasColumns, columnNames, db, jsonList, limitTo, sql } from '../db/sql.ts'
import type { Author } from '../db/write-audited.ts'
import { fault } from '../faults/fault.ts'
import { tooManyBugs } from './faults.ts'

const c = aliasColumns(groupControls, 'c')
const g = aliasColumns(groups, 'g')
const b = aliasColumns(bugGroups, 'b')

const HISTORY_COLUMNS = columnNames(
  history.bugId,
  history.authorId,
  history.changedAt,
  history.field,
  history.removed,
  history.removedFold,
  history.added,
  history.addedFold,
)

/**
 * Changes of the groups of existing bugs by the administration of groups. They are in the history of the
 * bugs, but send no mail and leave the time of the last change as it is.
 */

/** A select of `bug_id` and `group_id`: groups to add to bugs, or to remove from them. */
export type BugGroupPairs = SQL

/** The most pairs that one commit may write. */
export const MAX_BUGS = 20_000

/** The bugs that lack a group which is mandatory in their product, of the groups that `groupIds` selects. */
export function selectLackingMandatory(groupIds: SQL | readonly number[]): BugGroupPairs {
  const ids = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  return sql`SELECT ${bugs.id} AS bug_id, ${c.groupId} AS group_id FROM group_controls c
    JOIN bugs ON ${bugs.productId} = ${c.productId}
    WHERE ${c.groupId} IN ${ids} AND ${c.memberControl} = ${GROUP_CONTROL.MANDATORY} AND ${outsideCondition(sql`${c.groupId}`)}`
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

/** Counts pairs up to one more than `MAX_BUGS`. */
export function countGroupPairs(pairs: BugGroupPairs) {
  return db
    .select({ number: sql<number>`count(*)`.as('number') })
    .from(sql`(${pairs} ${limitTo(MAX_BUGS + 1)})`)
}

export function assertPairLimit(counted: readonly { readonly number: number }[] | undefined): void {
  if ((counted?.[0]?.number ?? 0) > MAX_BUGS) {
    throw fault(tooManyBugs, { most: MAX_BUGS })
  }
}

export function addGroupsStatements(pairs: BugGroupPairs, author: Author): Statement[] {
  return [
    historyStatement(pairs, author, 'added'),
    sql`INSERT OR IGNORE INTO bug_groups (${columnNames(bugGroups.bugId, bugGroups.groupId)})
      SELECT t.bug_id, t.group_id FROM (${pairs}) t WHERE true`,
  ]
}

export function removeGroupsStatements(pairs: BugGroupPairs, author: Author): Statement[] {
  return [
    historyStatement(pairs, author, 'removed'),
    sql`DELETE FROM bug_groups WHERE (${bugGroups.bugId}, ${bugGroups.groupId}) IN (
      SELECT t.bug_id, t.group_id FROM (${pairs}) t)`,
  ]
}

/** Inserts one history row per bug, whose time is not before the last change of the bug. */
function historyStatement(
  pairs: BugGroupPairs,
  { caller, now }: Author,
  side: 'added' | 'removed',
): Statement {
  const names = (column: SQL) => sql`group_concat(${column}, ', ' ORDER BY ${g.nameFold})`
  const cells =
    side === 'added' ? sql`'', '', t.name, t.name_fold` : sql`t.name, t.name_fold, '', ''`
  return sql`INSERT INTO history (${HISTORY_COLUMNS})
    SELECT t.bug_id, ${caller.id}, max(${bugs.changedAt}, ${now}), 'groups', ${cells}
    FROM (SELECT p.bug_id, ${names(g.name)} AS name, ${names(g.nameFold)} AS name_fold
      FROM (${pairs}) p JOIN access_groups g ON ${g.id} = p.group_id GROUP BY p.bug_id) t
    JOIN bugs ON ${bugs.id} = t.bug_id ORDER BY t.bug_id`
}

function outsideCondition(groupId: SQL): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM bug_groups b
    WHERE ${b.bugId} = ${bugs.id} AND ${b.groupId} = ${groupId})`
}
