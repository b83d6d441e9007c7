import { allOfExpressions, membersOf } from '../expression.ts'
import type { ParseContext, ParsedSearch, SearchParameters } from '../parse-context.ts'
import { assertSearchSize } from '../search-size.ts'
import { parseChanges } from './changes.ts'
import { parseCharts } from './charts.ts'
import { parseCustomSearch } from './custom-search.ts'
import { parseDeadline } from './deadline.ts'
import { asksForStatus, parseFieldParameters } from './fields.ts'
import { isOn, readGiven } from './given.ts'
import { parsePeopleBlocks } from './people.ts'

/** The parameters that may name fields or values of the configuration. */
const CONFIGURED = /^(?:cf_|f\d|field\d|chfield|quicksearch|savedsearch|namedcmd)/i

/**
 * The search that the parameters ask for, beside quicksearch and saved searches: all criteria have to match.
 * Null when there is none. Faults: 32000 for what cannot be read, 108 for an unknown field of a row, 304.
 * Reference: search.md, "How criteria combine".
 */
export function parseParameters(parameters: SearchParameters, context: ParseContext): ParsedSearch {
  const given = readGiven(parameters)
  const members = [
    ...parseFieldParameters(given, context),
    ...parsePeopleBlocks(given, context),
    parseChanges(given, context),
    ...parseDeadline(given, context),
    ...parseCharts(given, context),
    parseCustomSearch(given, context),
  ].flatMap((part) => (part === null ? [] : membersOf(part)))
  if (members.length === 0) {
    return null
  }
  const expression = allOfExpressions(members)
  assertSearchSize(expression)
  return expression
}

/** Whether conditions about the texts of comments are about first comments only. */
export function isLimitedToFirstComments(parameters: SearchParameters): boolean {
  return isOn(readGiven(parameters), 'longdesc_initial')
}

/**
 * Whether parsing needs the configuration: for names of custom fields, and for rows, which report unknown
 * ones.
 */
export function needsConfiguration(parameters: SearchParameters): boolean {
  return Object.entries(parameters).some(
    ([name, values = []]) =>
      CONFIGURED.test(name.trim()) && values.some((value) => value.trim() !== ''),
  )
}

/**
 * Whether the parameters name a status or a resolution, beside which a quicksearch finds closed bugs too.
 * Reference: search.md, "How criteria combine".
 */
export function hasStatusParameter(parameters: SearchParameters): boolean {
  return asksForStatus(readGiven(parameters))
}
