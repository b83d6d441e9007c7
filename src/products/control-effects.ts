import type { SQL } from 'drizzle-orm'
import {
  type Actor,
  addGroupsStatements,
  assertPairLimit,
  countPairs,
  removeGroupsStatements,
  selectInsideGroup,
  selectOutsideGroup,
} from '../access/bug-groups.ts'
import { type Caller, isMember } from '../access/caller.ts'
import type { Statement } from '../db/commit.ts'
import { fault } from '../faults.ts'
import type { Control } from './control-pairs.ts'

/** What a change of a control means for the bugs that the product has already. */
export type Effect = 'put' | 'take' | null

type Ids<Id> = { readonly productId: Id; readonly groupId: Id }

/**
 * A group that becomes mandatory for members comes upon all bugs of the product, one that becomes not
 * applicable goes from them; anything else is about new bugs.
 */
export function effectOf(before: Control, after: Control): Effect {
  if (before === after) {
    return null
  }
  return after === 'MANDATORY' ? 'put' : after === 'NA' ? 'take' : null
}

/** Counts the bugs that the wanted control could concern; undefined when it concerns none. */
export function countConcerned(wanted: Control | undefined, { productId, groupId }: Ids<SQL>) {
  switch (wanted) {
    case 'MANDATORY':
      return countPairs(selectOutsideGroup(productId, groupId))
    case 'NA':
      return countPairs(selectInsideGroup(productId, groupId))
    default:
      return undefined
  }
}

/**
 * Fault 32000 for too many bugs, and 304 when bugs would come out of a group that the caller is not in:
 * otherwise somebody could publish what they may not see.
 */
export function refuseEffect(
  caller: Caller,
  effect: Effect,
  group: { readonly id: number; readonly name: string },
  counted: readonly { readonly number: number }[] | undefined,
): void {
  if (effect === null || (counted?.[0]?.number ?? 0) === 0) {
    return
  }
  if (effect === 'take' && !isMember(caller, group.id)) {
    throw fault('notAuthorized', { action: `take bugs out of the group '${group.name}'` })
  }
  assertPairLimit(counted)
}

/** What rides in the commit of the control. */
export function effectStatements(
  effect: Effect,
  { productId, groupId }: Ids<number>,
  actor: Actor,
): Statement[] {
  switch (effect) {
    case 'put':
      return addGroupsStatements(selectOutsideGroup(productId, groupId), actor)
    case 'take':
      return removeGroupsStatements(selectInsideGroup(productId, groupId), actor)
    case null:
      return []
  }
}
