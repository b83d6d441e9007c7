import type { SQL } from 'drizzle-orm'
import type { Person } from '../../platform/access/caller.ts'
import { sharedGroupName } from '../../platform/access/saved-searches.ts'
import {
  idOrNameCondition,
  idOrNameOrder,
  type NamedObjects,
} from '../../platform/db/id-or-name.ts'
import { groups, memberships } from '../../platform/db/schema/groups.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { pick } from '../../platform/lib/pick.ts'
import { cleanLine, fold, lengthOf } from '../../platform/lib/text.ts'
import { groupNotShareable, savedSearchesTooLong } from './faults.ts'

/** A name first, so that `shared_with` of an answer may be sent back. */
const GROUPS: NamedObjects = { id: groups.id, name: groups.nameFold, digits: 'name-else-id' }

/** Of the queries of one person, which the account of the person answers all at once. */
export const MAX_CHARACTERS = 1_000_000

type ShareableGroup = { readonly id: number; readonly name: string }

/** Selects the search of the caller with this ID; none for that of somebody else. */
export function selectOwnSearch(caller: Person, id: number) {
  return db
    .select({
      ...pick(savedSearches, 'id', 'name', 'query', 'sharedGroupId'),
      sharedWith: sharedGroupName().as('shared_with'),
      revision: savedSearches.revision,
    })
    .from(savedSearches)
    .where(sql`${savedSearches.id} = ${id} AND ${ownSearchCondition(caller)}`)
}

export function ownSearchCondition(caller: Person): SQL {
  return sql`(${savedSearches.userId} = ${caller.id} AND ${savedSearches.kind} = 'search')`
}

/** Selects the one search of the caller that has this name, if any, in either case. */
export function selectOwnSearchesByName(caller: Person, name: string) {
  return db
    .select({ id: savedSearches.id })
    .from(savedSearches)
    .where(sql`${ownSearchCondition(caller)} AND ${savedSearches.nameFold} = ${fold(name)}`)
}

/** Selects the group of this name or ID if the caller belongs to it. */
export function selectShareableGroups(caller: Person, group: string) {
  const text = cleanLine(group)
  return db
    .select({ id: groups.id, name: groups.name })
    .from(groups)
    .where(
      sql`${idOrNameCondition(GROUPS, text)} AND EXISTS (SELECT 1 FROM memberships
        WHERE ${memberships.groupId} = ${groups.id} AND ${memberships.userId} = ${caller.id})`,
    )
    .orderBy(idOrNameOrder(GROUPS, text))
}

/**
 * The group to share with. Refuses a group that does not exist and one that the caller does not belong to in the same
 * words.
 */
export function requireShareableGroup(
  group: string,
  rows: readonly ShareableGroup[],
): ShareableGroup {
  const [found] = rows
  if (found === undefined) {
    throw fault(groupNotShareable, { group: group.slice(0, 100) })
  }
  return found
}

export function charactersOfQueries(): SQL<number> {
  return sql<number>`coalesce(sum(length(${savedSearches.query})), 0)`
}

/** Refuses a query that would be too long beside the other ones of its owner. */
export function assertLength(query: string, others = 0): void {
  if (lengthOf(query) + others > MAX_CHARACTERS) {
    throw fault(savedSearchesTooLong, { most: MAX_CHARACTERS })
  }
}
