import type { SQL } from 'drizzle-orm'
import { groupBlessers, groupGrants, memberships } from '../db/schema/groups.ts'
import { aliasColumns, jsonList, sql } from '../db/sql.ts'
import type { Caller, Person } from './caller.ts'

const m = aliasColumns(memberships, 'm')

/**
 * The visibility of people and the right to bless, as SQL. `user` is the ID of the person in question, and
 * may be a column.
 */

/**
 * The groups that the caller may bless, by a grant to the person or to a group of theirs: `group_id IN
 * ${selectBlessableGroups(caller)}`; none for a key that may not administer.
 */
export function selectBlessableGroups(caller: Person): SQL {
  if (caller.scope?.canAdminister === false) {
    return sql`(SELECT 0 WHERE 0)`
  }
  return sql`(SELECT ${groupBlessers.groupId} FROM group_blessers
      WHERE ${groupBlessers.userId} = ${caller.id}
    UNION ${selectGrantedGroups(caller, 'bless')})`
}

/**
 * Whether the caller sees that a person exists. Everybody sees everybody, unless the visibility of people is
 * `byGroups`: then a person is visible to themselves and to members of groups that may see one of their groups.
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
      AND ${memberships.groupId} IN (${selectGrantedGroups(caller, 'visible')})))`
}

/**
 * The same condition for the IDs of two people, which may be columns, so that one statement decides for many.
 */
export function personVisibleToCondition(byGroups: boolean, viewer: SQL, user: SQL): SQL {
  return byGroups
    ? sql`(${user} = ${viewer} OR EXISTS (SELECT 1 FROM memberships
        JOIN group_grants ON ${groupGrants.grantingGroupId} = ${memberships.groupId} AND ${groupGrants.kind} = 'visible'
        JOIN memberships m ON ${m.groupId} = ${groupGrants.memberGroupId} AND ${m.userId} = ${viewer}
        WHERE ${memberships.userId} = ${user}))`
    : sql`1`
}

function selectGrantedGroups(caller: Person, kind: 'bless' | 'visible'): SQL {
  return sql`SELECT ${groupGrants.grantingGroupId} FROM group_grants
    WHERE ${groupGrants.kind} = ${kind}
      AND ${groupGrants.memberGroupId} IN ${jsonList([...caller.groups])}`
}
