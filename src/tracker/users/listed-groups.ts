import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { userGroupsTooLong } from './faults.ts'
import type { UserGroupRow, UserRow } from './present.ts'

/** Of the JSON around a name and a description. */
const MEMBERS_LENGTH = 40

/** Counts the groups of people before any is presented. Throws a fault when they are longer than a request may list. */
export function admitListedGroups(
  ctx: SessionHolder,
  people: readonly Pick<UserRow, 'groupIds'>[],
  groups: readonly UserGroupRow[],
): void {
  const lengths = new Map(
    groups.map(({ id, name, description }) => [
      id,
      name.length + description.length + MEMBERS_LENGTH,
    ]),
  )
  const most = MOST_OF_REQUEST.groupCharacters
  for (const { groupIds } of people) {
    const ids: number[] = JSON.parse(groupIds ?? '[]')
    const length = ids.reduce((sum, id) => sum + (lengths.get(id) ?? 0), 0)
    if (take(ctx, 'groupCharacters', length) > most) {
      throw fault(userGroupsTooLong, { most: most.toLocaleString('en') })
    }
  }
}
