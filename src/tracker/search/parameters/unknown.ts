import type { ParseContext, SearchParameters } from '../parse-context.ts'
import { findSearchField } from '../search-fields.ts'
import { readGiven, textsOf } from './given.ts'

const MOST_LISTED = 10
const LONGEST_NAME = 60

/** Parameters of a search beside those that are named like a field. */
const NUMBERED =
  /^(?:[fovnj]\d{1,9}|j_top|email\d{1,9}|email(?:type|assigned_to|reporter|qa_contact|cc|longdesc)\d{1,9}|(?:field|type|value)\d{1,9}-\d{1,9}-\d{1,9}|negate\d{1,9})$/

/** Parameters that select, page, order or name a search, or that forms send along without effect. */
const OTHERS = new Set(
  `description bugidtype longdesc_initial chfield chfieldfrom chfieldto chfieldvalue deadlinefrom deadlineto
  quicksearch savedsearch namedcmd sharer_id cmdtype remaction order limit offset after count_only count_total
  include_fields exclude_fields callback query_format query_based_on known_name list_id columnlist column_list
  format ctype tweak`.split(/\s+/),
)

/**
 * What a refused search says of its parameters with values that mean nothing: their names, as they were sent,
 * or the empty text. Names of fields that are not for the caller are among them.
 */
export function describeUnknownParameters(
  parameters: SearchParameters,
  context: ParseContext,
): string {
  const given = readGiven(parameters)
  const names = Object.keys(parameters).filter((name) => {
    const folded = name.trim().toLowerCase()
    return textsOf(given, folded).length > 0 && !isKnown(folded, context)
  })
  if (names.length === 0) {
    return ''
  }
  const listed = names.slice(0, MOST_LISTED).map((name) => `'${name.slice(0, LONGEST_NAME)}'`)
  const more = names.length > listed.length ? ` and ${names.length - listed.length} more` : ''
  return ` Not understood: ${listed.join(', ')}${more}.`
}

function isKnown(name: string, { configuration, caller }: ParseContext): boolean {
  return (
    OTHERS.has(name) ||
    NUMBERED.test(name) ||
    [name, name.replace(/_type$/, '')].some(
      (field) =>
        field === 'description' || findSearchField(field, configuration, caller) !== undefined,
    )
  )
}
