import type { SQL } from 'drizzle-orm'
import { groupBlessers, groupGrants, memberships } from '../db/schema/groups.ts'
import { jsonList, sql } from '../db/sql.ts'
import type { Caller, Person } from './caller.ts'

/**
 * What a caller may know of other people, as SQL. `user` stands for the ID of the person looked at,
 * which may be a column.
 */

/**
 * The groups whose membership the caller may hand out, by a right of their own or by one that a group
 * of theirs was given: `group_id IN ${selectBlessableGroups(caller)}`. Contract "Authentication", 5.
 */
export function selectBlessableGroups(caller: Person): SQL {
  return sql`(SELECT ${groupBlessers.groupId} FROM group_blessers
      WHERE ${groupBlessers.userId} = ${caller.id}
    UNION ${grantedTo(caller, 'bless')})`
}

/**
 * Whether the caller sees that this person exists. Everybody sees everybody, unless the site shows
 * people `byGroups`: then somebody is seen by members of the groups that may see one of theirs, and by
 * themselves. Contract "Users", Get User, and "Errors", 304.
 */
export function visiblePersonCondition(caller: Caller, byGroups: boolean, user: SQL): SQL {
  if (!byGroups || caller.kind === 'system') {
    return sql`1`
  }
  if (caller.kind === 'anonymous') {
    return sql`0`
  }
  return sql`(${user} = ${caller.id} OR EXISTS (SELECT 1 FROM memberships
    WHERE ${memberships.userId} = ${user}
      AND ${memberships.groupId} IN (${grantedTo(caller, 'visible')})))`
}

function grantedTo(caller: Person, kind: 'bless' | 'visible'): SQL {
  return sql`SELECT ${groupGrants.grantingGroupId} FROM group_grants
    WHERE ${groupGrants.kind} = ${kind}
      AND ${groupGrants.memberGroupId} IN ${jsonList([...caller.groups])}`
}
