import type { SQL, SQLWrapper } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { groupGrants, groupMembers, memberships } from '../db/schema/groups.ts'
import { columnNames, jsonList, sql } from '../db/sql.ts'

/** The people whose membership a change may affect: IDs, or a select of IDs in parentheses. */
type AffectedPeople = readonly number[] | 'everybody' | SQL

/**
 * Recomputes effective membership for some people or everybody. Must follow, in the same commit, the statements that
 * change direct membership, membership by pattern, or grants between groups. Cycles of grants end, because UNION
 * drops pairs that it already has.
 */
export function recomputeMembershipsStatements(affected: AffectedPeople): Statement[] {
  const affectedBy = (column: SQLWrapper) => affectedCondition(affected, column)
  const reached = sql`
    WITH RECURSIVE reached(user_id, group_id) AS (
      SELECT ${groupMembers.userId}, ${groupMembers.groupId} FROM group_members WHERE ${affectedBy(groupMembers.userId)}
      UNION
      SELECT reached.user_id, ${groupGrants.grantingGroupId}
      FROM reached JOIN group_grants
        ON ${groupGrants.memberGroupId} = reached.group_id AND ${groupGrants.kind} = 'membership')`
  return [
    // EXCEPT, because NOT IN would scan all of `reached` for each pair to delete; the people twice, because the pairs alone
    // are sought in all memberships
    sql`${reached} DELETE FROM memberships WHERE ${affectedBy(memberships.userId)} AND (${memberships.userId}, ${memberships.groupId}) IN (
      SELECT ${memberships.userId}, ${memberships.groupId} FROM memberships WHERE ${affectedBy(memberships.userId)}
      EXCEPT SELECT user_id, group_id FROM reached)`,
    sql`${reached} INSERT OR IGNORE INTO memberships (${columnNames(memberships.userId, memberships.groupId)})
      SELECT user_id, group_id FROM reached WHERE true`,
  ]
}

function affectedCondition(affected: AffectedPeople, column: SQLWrapper): SQL {
  if (affected === 'everybody') {
    return sql`1`
  }
  return sql`${column} IN ${Array.isArray(affected) ? jsonList(affected) : affected}`
}
