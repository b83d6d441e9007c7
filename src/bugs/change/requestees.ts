import type { FlagEdits } from '../../flags/plan-edits.ts'
import { askedOf } from '../../flags/write.ts'
import type { Decision } from './decide.ts'

/** The decisions with everybody on the CC list who is asked for something, though taken off it before. */
export function addRequesteesToCc(
  decisions: readonly Decision[],
  flags: readonly FlagEdits[],
): readonly Decision[] {
  const asked = new Map(askedOf(flags).map(({ bugId, userIds }) => [bugId, userIds]))
  return decisions.map((decision) => {
    const userIds = asked.get(decision.bug.id)
    if (userIds === undefined) {
      return decision
    }
    const { add, remove } = decision.cc ?? { add: [], remove: [] }
    const cc = {
      bugId: decision.bug.id,
      add: [...new Set([...add, ...userIds])],
      remove: remove.filter((id) => !userIds.includes(id)),
    }
    return { ...decision, cc }
  })
}
