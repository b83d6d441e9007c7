import { fault } from '../faults.ts'
import { allOfExpressions, conditionsOf, type Expression } from './expression.ts'
import { parseParameters } from './parameters/parse.ts'
import type { ParseContext, SearchParameters } from './parse-context.ts'
import { parseQuicksearch } from './quicksearch/parse.ts'

/** A search and what its text says of its answer. */
export type Search = {
  readonly expression: Expression
  /** It is a list of IDs, answered in their order unless another one is given. */
  readonly isIdList: boolean
  /** It asks for all that the service answers at once, whatever `limit` says. */
  readonly isLimitLifted: boolean
}

const MAX_CONDITIONS = 300
const MAX_DEPTH = 20

/**
 * Parses all criteria of a search. Faults: 1000 without any, 108 for an unknown field, 304 for a field that needs
 * a right, 32000 for what cannot be read. Reference: search.md, "How criteria combine".
 */
export function parseSearch(parameters: SearchParameters, context: ParseContext): Search {
  const criteria = parseParameters(parameters, context)
  const text = parameters.quicksearch?.join(' ').trim()
  const quicksearch =
    text === undefined
      ? null
      : parseQuicksearch(text, {
          ...context,
          hasStatusCriterion: STATUS_PARAMETERS.some((name) => parameters[name] !== undefined),
        })
  const all = [criteria, quicksearch?.expression ?? null].filter((part) => part !== null)
  if (all.length === 0) {
    throw fault('noSearchTerms')
  }
  const expression = allOfExpressions(all)
  assertBounded(expression)
  return {
    expression,
    isIdList: criteria === null && (quicksearch?.isIdList ?? false),
    isLimitLifted: quicksearch?.isLimitLifted ?? false,
  }
}

const STATUS_PARAMETERS = ['status', 'bug_status', 'resolution']

/** Beyond these bounds a statement could be too large for D1. */
function assertBounded(expression: Expression): void {
  const { length } = conditionsOf(expression)
  if (length > MAX_CONDITIONS) {
    throw fault('searchInvalid', {
      source: 'it',
      reason: `has ${length} conditions, and may have at most ${MAX_CONDITIONS}`,
    })
  }
  if (depthOf(expression) > MAX_DEPTH) {
    throw fault('searchInvalid', {
      source: 'it',
      reason: `nests its groups deeper than ${MAX_DEPTH}`,
    })
  }
}

function depthOf(expression: Expression): number {
  switch (expression.kind) {
    case 'all':
    case 'any':
      return 1 + Math.max(0, ...expression.members.map(depthOf))
    case 'not':
      return depthOf(expression.member)
    default:
      return 0
  }
}
