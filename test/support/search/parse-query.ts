import { ANONYMOUS, type Caller } from '../../../src/platform/access/caller.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { Fault } from '../../../src/platform/faults/fault.ts'
import type { SearchConfiguration } from '../../../src/tracker/search/configuration.ts'
import type { SearchParameters } from '../../../src/tracker/search/context.ts'
import { parseParameters } from '../../../src/tracker/search/parameters/parse.ts'
import { buildCaller } from '../builders/callers.ts'
import { printExpression } from './print-expression.ts'

/** A configuration with a custom field of every kind. */
export const CONFIGURATION: SearchConfiguration = {
  signature: 'of a test',
  customFields: new Map(
    Object.entries(FIELD_TYPE).map(([kind, type], index) => [
      `cf_${kind.toLowerCase()}`,
      { id: index + 1, type },
    ]),
  ),
  statuses: [
    { name: 'NEW', isOpen: true },
    { name: 'RESOLVED', isOpen: false },
  ],
  resolutions: ['FIXED'],
  priorities: ['P1'],
}

export const TRACKER = buildCaller({ id: 1, login: 'tracker@a.test' }, ['timetracking'])
export const INSIDER = buildCaller({ id: 2, login: 'insider@a.test' }, ['insider'])

/** The values of every parameter of a query string, with `+` as itself. */
export function readQuery(query: string): SearchParameters {
  const search = new URLSearchParams(query.replaceAll('+', '%2B').replaceAll('%%', '%25'))
  return Object.fromEntries([...search.keys()].map((name) => [name, search.getAll(name)]))
}

/** The expression of a query string as text, `NONE` for no criterion, or the number of the refusal. */
export function parseQuery(query: string, caller: Caller = ANONYMOUS): string | number {
  const result = tryToParse(query, caller)
  return typeof result === 'string' ? result : result.code
}

/** The message of the refusal; the empty text when the query is understood. */
export function findRefusal(query: string, caller: Caller = ANONYMOUS): string {
  const result = tryToParse(query, caller)
  return typeof result === 'string' ? '' : result.message
}

function tryToParse(query: string, caller: Caller): string | Fault {
  try {
    const parsed = parseParameters(readQuery(query), { caller, configuration: CONFIGURATION })
    return parsed === null ? 'NONE' : printExpression(parsed)
  } catch (error) {
    if (error instanceof Fault) {
      return error
    }
    throw error
  }
}
