import type { SQL } from 'drizzle-orm'
import type { Statement } from '../db/commit.ts'
import { groupGrants } from '../db/schema/groups.ts'
import { jsonList, sql } from '../db/sql.ts'

/** Whose membership a change may touch: IDs, or a select of one column of IDs in brackets. */
export type Affected = readonly number[] | 'everybody' | SQL

/**
 * Brings effective membership up to date for some people, or for everybody: to stand in the same commit
 * behind whatever changed direct membership, membership by pattern, or the grants between groups.
 * Loops of inclusion end, because a pair that is known is not followed again.
 */
export function recomputeMembershipsStatements(affected: Affected): Statement[] {
  const affectedBy = (column: SQL) => affectedCondition(affected, column)
  const reached = sql`
    WITH RECURSIVE reached(user_id, group_id) AS (
      SELECT user_id, group_id FROM group_members WHERE ${affectedBy(sql`user_id`)}
      UNION
      SELECT reached.user_id, ${groupGrants.grantingGroupId}
      FROM reached JOIN group_grants
        ON ${groupGrants.memberGroupId} = reached.group_id AND ${groupGrants.kind} = 'membership')`
  return [
    // EXCEPT, because NOT IN would look through all that is reached for each pair to be deleted
    sql`${reached} DELETE FROM memberships WHERE (user_id, group_id) IN (
      SELECT user_id, group_id FROM memberships WHERE ${affectedBy(sql`user_id`)}
      EXCEPT SELECT user_id, group_id FROM reached)`,
    sql`${reached} INSERT OR IGNORE INTO memberships (user_id, group_id)
      SELECT user_id, group_id FROM reached WHERE true`,
  ]
}

function affectedCondition(affected: Affected, column: SQL): SQL {
  if (affected === 'everybody') {
    return sql`1`
  }
  return sql`${column} IN ${Array.isArray(affected) ? jsonList(affected) : affected}`
}
