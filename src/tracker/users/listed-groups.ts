import type { QueryCost, SessionHolder } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { userGroupsTooLong } from './faults.ts'
import type { UserGroupRow, UserRow } from './present.ts'

/** Characters of the groups of people that one request lists: an answer would repeat each for every member. */
const MAX_LISTED = 10_000_000
/** Of the JSON around a name and a description. */
const MEMBERS_LENGTH = 40

/** What one request has listed, however many calls it makes. */
const listedBy = perObject((_: QueryCost) => ({ characters: 0 }))

/** Counts the groups of people before any is presented. Throws a fault when they are longer than a request may list. */
export function admitListedGroups(
  { session }: SessionHolder,
  people: readonly Pick<UserRow, 'groupIds'>[],
  groups: readonly UserGroupRow[],
): void {
  const lengths = new Map(
    groups.map(({ id, name, description }) => [
      id,
      name.length + description.length + MEMBERS_LENGTH,
    ]),
  )
  const listed = listedBy(session.cost)
  for (const { groupIds } of people) {
    for (const id of JSON.parse(groupIds ?? '[]')) {
      listed.characters += lengths.get(id) ?? 0
    }
    if (listed.characters > MAX_LISTED) {
      throw fault(userGroupsTooLong, { most: MAX_LISTED.toLocaleString('en') })
    }
  }
}
