import { fault } from '../../platform/faults/fault.ts'
import type { ParseContext, SearchParameters } from './context.ts'
import { allOfExpressions, membersOf, type PositiveExpression } from './expression.ts'
import { noSearchTerms } from './faults.ts'
import {
  describeUnknownParameters,
  hasStatusParameter,
  isLimitedToFirstComments,
  parseParameters,
} from './parameters/parse.ts'
import { parseQuicksearch } from './quicksearch/parse.ts'
import { limitToFirstComments, rewrite } from './rewrite.ts'
import { assertSearchSize, countCriteria } from './size.ts'

/** A search, and what its text says of its answer. */
export type Search = {
  /** All of them hold. */
  readonly members: readonly PositiveExpression[]
  /** What `countCriteria` counts in them. */
  readonly criteria: number
  /** It asks for as many bugs as the service answers at once, regardless of `limit`. */
  readonly isLimitLifted: boolean
}

/** Parses all criteria of a search. */
export function parseSearch(parameters: SearchParameters, context: ParseContext): Search {
  const criteria = parseParameters(parameters, context)
  const text = parameters.quicksearch?.join(' ')
  const quicksearch =
    text === undefined
      ? null
      : parseQuicksearch(text, {
          ...context,
          hasStatusCriterion: hasStatusParameter(parameters),
        })
  const parts = [criteria, quicksearch?.expression ?? null].filter((part) => part !== null)
  if (parts.length === 0) {
    throw fault(noSearchTerms, { unknown: describeUnknownParameters(parameters, context) })
  }
  const all = allOfExpressions(parts)
  assertSearchSize(all)
  const expression = isLimitedToFirstComments(parameters) ? limitToFirstComments(all) : all
  return {
    members: membersOf(rewrite(expression, context)),
    criteria: countCriteria(expression),
    isLimitLifted: quicksearch?.isLimitLifted ?? false,
  }
}
