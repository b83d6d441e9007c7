import type { SQL } from 'drizzle-orm'
import { groups, memberships } from '../db/schema/groups.ts'
import { savedSearches } from '../db/schema/saved-searches.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import type { Person } from './caller.ts'

const mine = aliasColumns(memberships, 'mine')
const theirs = aliasColumns(memberships, 'theirs')
const g = aliasColumns(groups, 'g')

/**
 * A saved search is visible to its owner and, while the owner belongs to the group that it is shared with, to
 * the members of that group. Saved reports are not shown.
 */
export function visibleSavedSearchCondition(caller: Person): SQL {
  return sql`(${savedSearches.kind} = 'search' AND (${savedSearches.userId} = ${caller.id}
    OR (${savedSearches.sharedGroupId} IN (SELECT ${mine.groupId} FROM memberships mine
        WHERE ${mine.userId} = ${caller.id})
      AND EXISTS (SELECT 1 FROM memberships theirs
        WHERE ${theirs.userId} = ${savedSearches.userId} AND ${theirs.groupId} = ${savedSearches.sharedGroupId}))))`
}

/** The name of the group that a saved search is shared with; null also when its owner has left the group. */
export function sharedGroupName(): SQL<string | null> {
  return sql<string | null>`(SELECT ${g.name} FROM access_groups g
    JOIN memberships theirs ON ${theirs.groupId} = ${g.id}
    WHERE ${g.id} = ${savedSearches.sharedGroupId} AND ${theirs.userId} = ${savedSearches.userId})`
}
