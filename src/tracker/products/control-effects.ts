import type { SQL } from 'drizzle-orm'
import {
  addGroupsStatements,
  assertPairLimit,
  countGroupPairs,
  removeGroupsStatements,
  selectInsideGroup,
  selectOutsideGroup,
} from '../../platform/access/bug-groups.ts'
import { type Caller, isMember } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import type { Statement } from '../../platform/db/commit.ts'
import type { Author } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import type { Control } from './control-pairs.ts'

/** Whether a change of a control puts the group on existing bugs of the product or takes it off them. */
type BugGroupEffect = 'put' | 'take' | null

type Ids<Id> = { readonly productId: Id; readonly groupId: Id }

/**
 * Decides what happens to existing bugs: a group that becomes MANDATORY for members is put on all of them, one
 * that becomes NA is taken off them. Every other change affects new bugs only, and gives null.
 */
export function decideEffect(before: Control, after: Control): BugGroupEffect {
  if (before === after) {
    return null
  }
  return after === 'MANDATORY' ? 'put' : after === 'NA' ? 'take' : null
}

/** Counts the bugs that a change to this control may affect; undefined when it affects new bugs only. */
export function countAffectedBugs(control: Control | undefined, { productId, groupId }: Ids<SQL>) {
  switch (control) {
    case 'MANDATORY':
      return countGroupPairs(selectOutsideGroup(productId, groupId))
    case 'NA':
      return countGroupPairs(selectInsideGroup(productId, groupId))
    default:
      return undefined
  }
}

/**
 * Refuses to take bugs out of a group that the caller is not in, because callers must not publish what they
 * may not see, and to affect too many bugs.
 */
export function assertEffectAllowed(
  caller: Caller,
  effect: BugGroupEffect,
  group: { readonly id: number; readonly name: string },
  bugCount: readonly { readonly number: number }[] | undefined,
): void {
  if (effect === null || (bugCount?.[0]?.number ?? 0) === 0) {
    return
  }
  if (effect === 'take' && !isMember(caller, group.id)) {
    throw fault(notAuthorized, { action: `take bugs out of the group '${group.name}'` })
  }
  assertPairLimit(bugCount)
}

/** The statements about existing bugs, for the commit that writes the control. */
export function effectStatements(
  effect: BugGroupEffect,
  { productId, groupId }: Ids<number>,
  author: Author,
): Statement[] {
  switch (effect) {
    case 'put':
      return addGroupsStatements(selectOutsideGroup(productId, groupId), author)
    case 'take':
      return removeGroupsStatements(selectInsideGroup(productId, groupId), author)
    case null:
      return []
  }
}
