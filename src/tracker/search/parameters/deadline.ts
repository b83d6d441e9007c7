import { canTrackTime } from '../../../platform/access/rights.ts'
import type { Expression } from '../expression.ts'
import type { ParseContext } from '../parse-context.ts'
import { firstText, type GivenParameters } from './given.ts'

const BOUNDS = [
  ['deadlinefrom', 'greaterthaneq'],
  ['deadlineto', 'lessthaneq'],
] as const

/**
 * The conditions of `deadlinefrom` and `deadlineto`; none for callers who do not see deadlines.
 * Reference: search.md, "Criteria".
 */
export function parseDeadline(given: GivenParameters, { caller }: ParseContext): Expression[] {
  return canTrackTime(caller)
    ? BOUNDS.flatMap(([source, operator]): Expression[] => {
        const value = firstText(given, source)
        return value === ''
          ? []
          : [{ kind: 'condition', field: 'deadline', operator, values: [value], source }]
      })
    : []
}
