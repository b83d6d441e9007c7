import { canTrackTime } from '../../../platform/access/caller.ts'
import type { ParseContext, SearchParameters } from '../context.ts'
import { allOfExpressions, anyOfExpressions, type Expression, membersOf } from '../expression.ts'
import { requireOperator, requireSearchField } from '../require.ts'
import { findSearchField, isFieldName } from '../search-fields.ts'
import { assertSearchSize } from '../size.ts'
import { parseChanges } from './changes.ts'
import { parseComparison, rowValues } from './comparison.ts'
import { parseCharts, parseCustomSearch } from './custom-search.ts'
import { parseFieldParameters } from './fields.ts'
import { findNumbered, firstText, type GivenParameters, isOn, readGiven, textsOf } from './given.ts'

/** The parameters that may name fields or values of the configuration. */
const CONFIGURED = /^(?:cf_|f\d|field-?\d|chfield|quicksearch|savedsearch|namedcmd)/i

/**
 * The search that the parameters ask for, beside quicksearch and saved searches: all criteria have
 * to match. Null when there is none.
 */
export function parseParameters(
  parameters: SearchParameters,
  context: ParseContext,
): Expression | null {
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
 * Whether the parameters name a status or a resolution, beside which a quicksearch finds closed
 * bugs too.
 */
export function hasStatusParameter(parameters: SearchParameters): boolean {
  return [...readGiven(parameters)].some(
    ([name, values]) =>
      name === 'resolution' ||
      (['status', 'bug_status'].includes(name) && values.some((value) => value !== '')),
  )
}

/** The roles by the middle of the names of their flags: `emailcc1`. */
export const EMAIL_ROLES = [
  ['assigned_to', 'assigned_to'],
  ['reporter', 'reporter'],
  ['qa_contact', 'qa_contact'],
  ['cc', 'cc'],
  ['longdesc', 'commenter'],
] as const

/**
 * The expressions of the people blocks: `email1` with its operator and the roles that are ticked,
 * of which any has to match.
 */
function parsePeopleBlocks(given: GivenParameters, context: ParseContext): Expression[] {
  return findNumbered(given, /^email(\d{1,9})$/).flatMap(
    ({ end }) => parseBlock(end, given, context) ?? [],
  )
}

function parseBlock(end: string, given: GivenParameters, context: ParseContext): Expression | null {
  const source = `email${end}`
  const texts = textsOf(given, source)
  const roles = EMAIL_ROLES.filter(([role]) => isOn(given, `email${role}${end}`))
  if (texts.length === 0 || roles.length === 0) {
    return null
  }
  const type = `emailtype${end}`
  const operator = requireOperator(firstText(given, type) || 'equals', type)
  const values = rowValues(operator, texts)
  const members = roles.flatMap(([, name]) => {
    const field = requireSearchField(name, source, context)
    return parseComparison({ field, operator, values, source }) ?? []
  })
  return members.length === 0 ? null : anyOfExpressions(members)
}

const BOUNDS = [
  ['deadlinefrom', 'greaterthaneq'],
  ['deadlineto', 'lessthaneq'],
] as const

/** The conditions of `deadlinefrom` and `deadlineto`; none for callers who do not see deadlines. */
function parseDeadline(given: GivenParameters, { caller }: ParseContext): Expression[] {
  return canTrackTime(caller)
    ? BOUNDS.flatMap(([source, operator]): Expression[] => {
        const value = firstText(given, source)
        return value === ''
          ? []
          : [{ kind: 'condition', field: 'deadline', operator, values: [value], source }]
      })
    : []
}

const MAX_LISTED = 10
const MAX_NAME_LENGTH = 60

/** Parameters of a search beside those that are named like a field. */
const NUMBERED =
  /^(?:[fovnj]\d{1,9}|j_top|email\d{1,9}|email(?:type|assigned_to|reporter|qa_contact|cc|longdesc)\d{1,9}|(?:field|type|value)-?\d{1,9}-\d{1,9}-\d{1,9}|negate-?\d{1,9})$/

/** Parameters that select, page, order or name a search, and are read as they are sent. */
const EXACT: ReadonlySet<string> = new Set(
  `quicksearch savedsearch namedcmd sharer_id cmdtype remaction order limit offset after count_only count_total
  include_fields exclude_fields callback`.split(/\s+/),
)

/** Others in whose names case does not count, or that forms send along without effect. */
const OTHERS: ReadonlySet<string> = new Set(
  `description description_type bugidtype longdesc_initial chfield chfieldfrom chfieldto chfieldvalue deadlinefrom deadlineto
  query_format query_based_on known_name list_id columnlist column_list format ctype tweak`.split(
    /\s+/,
  ),
)

/**
 * The parameters with values that mean nothing, as they were sent. Names of fields that are not for the caller are
 * among them.
 */
export function listUnknownParameters(
  parameters: SearchParameters,
  context: ParseContext,
): string[] {
  const given = readGiven(parameters)
  return Object.keys(parameters).filter((name) => {
    const folded = name.trim().toLowerCase()
    return (
      textsOf(given, folded).length > 0 && !(isKnown(folded, context) && isReadAs(name, folded))
    )
  })
}

/** What a refused search says of them; the empty text where there is none. */
export function describeUnknownParameters(
  parameters: SearchParameters,
  context: ParseContext,
): string {
  const names = listUnknownParameters(parameters, context)
  return names.length === 0 ? '' : ` ${sayNotUnderstood(names)}`
}

/** A sentence that names parameters which mean nothing. */
export function sayNotUnderstood(names: readonly string[]): string {
  const listed = names.slice(0, MAX_LISTED).map((name) => `'${name.slice(0, MAX_NAME_LENGTH)}'`)
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : ''
  return `Not understood: ${listed.join(', ')}${more}.`
}

function isKnown(name: string, { configuration, caller }: ParseContext): boolean {
  const isBound = BOUNDS.some(([bound]) => bound === name)
  if (isBound && !canTrackTime(caller)) {
    return false
  }
  return isParameter(name, (field) => findSearchField(field, configuration, caller) !== undefined)
}

/** Whether a search has a use for a parameter, as far as can be told without custom fields and the caller. */
export function isSearchParameter(name: string): boolean {
  const folded = name.trim().toLowerCase()
  return (
    isParameter(folded, (field) => isFieldName(field) || field.startsWith('cf_')) &&
    isReadAs(name, folded)
  )
}

function isReadAs(name: string, folded: string): boolean {
  return name === folded || !EXACT.has(folded)
}

function isParameter(name: string, isField: (name: string) => boolean): boolean {
  return (
    EXACT.has(name) ||
    OTHERS.has(name) ||
    NUMBERED.test(name) ||
    isField(name) ||
    isField(name.replace(/_type$/, ''))
  )
}
