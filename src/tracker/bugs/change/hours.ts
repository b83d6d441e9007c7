import type { SQL } from 'drizzle-orm'
import { canTrackTime } from '../../../platform/access/caller.ts'
import type { Statement } from '../../../platform/db/commit.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../../platform/db/sql.ts'
import { clearableText } from '../../../platform/http/operations/shapes.ts'
import {
  clearRemainingTimeStatements,
  lowerRemainingTimeStatements,
  parseHours,
  parseWorkTime,
} from '../../comments/hours.ts'
import { addChanges, type BugDecision, type Capability, capability } from '../model/capability.ts'
import type { FieldChange } from '../model/history-fields.ts'
import { hoursInput } from '../model/hours.ts'
import { normalizeDate } from '../model/text-rules.ts'

/**
 * Hours worked, which lower what remains unless the request sets that itself, and what closing does to the remaining
 * hours. The right to track time is checked ahead of other fields.
 */
export const workCapability: Capability = capability({
  input: { work_time: hoursInput() },

  /** Closing a bug ends its remaining hours. */
  isRequestedBy(parameter) {
    return ['status', 'resolution', 'dupe_of'].includes(parameter)
  },

  claims(_, { input }) {
    const worked = parseWorkTime(input.work_time)
    return worked === 0 ? [] : [{ field: 'work_time', added: String(worked) }]
  },

  decideBug({ remaining }, { input }) {
    const lowers = parseWorkTime(input.work_time) !== 0 && input.remaining_time === undefined
    return { remaining: lowers ? 'falls' : remaining }
  },

  decideAll(decisions, { input, recording }) {
    const bugsWhere = (fate: BugDecision['remaining']) =>
      decisions.filter(({ remaining }) => remaining === fate).map(({ bug }) => bug.id)
    const [ending, falling] = [bugsWhere('ends'), bugsWhere('falls')]
    const remainingHours: Statement[] = [
      ...(ending.length === 0 ? [] : clearRemainingTimeStatements(idIn(ending), recording)),
      ...(falling.length === 0
        ? []
        : lowerRemainingTimeStatements(idIn(falling), parseWorkTime(input.work_time), recording)),
    ]
    return { parts: { remainingHours } }
  },

  unansweredFields() {
    return ['work_time']
  },
})

/** Deadline, estimated and remaining hours. */
export const hoursCapability: Capability = capability({
  input: { deadline: clearableText(), estimated_time: hoursInput(), remaining_time: hoursInput() },

  proposeChanges(decision, { input }) {
    const changes: FieldChange[] = []
    if (input.deadline !== undefined) {
      const day = normalizeDate('deadline', input.deadline ?? '')
      changes.push({ field: 'deadline', value: day, added: day ?? '' })
    }
    for (const field of ['estimated_time', 'remaining_time'] as const) {
      if (input[field] !== undefined) {
        const value = parseHours(field, input[field])
        const current = decision.bug.historyValues[field]
        // compared as numbers, since 2.50 is the same as 2.5
        changes.push({ field, value, added: value === Number(current) ? current : String(value) })
      }
    }
    return addChanges(decision, changes)
  },

  unansweredFields(person) {
    return canTrackTime(person) ? [] : ['estimated_time', 'remaining_time']
  },
})

function idIn(ids: readonly number[]): SQL {
  return sql`${bugs.id} IN ${jsonList(ids)}`
}
