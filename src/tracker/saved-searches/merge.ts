import { SYSTEM } from '../../platform/access/caller.ts'
import { EMPTY_CONFIGURATION } from '../search/configuration.ts'
import type { SearchParameters } from '../search/context.ts'
import { findSearchField } from '../search/search-fields.ts'
import { NAMING_PARAMETERS } from './named-search.ts'
import { parseQueryString } from './query.ts'

/** What the request alone decides. */
const OF_REQUEST: ReadonlySet<string> = new Set([
  ...'limit offset after count_only count_total include_fields exclude_fields callback'.split(' '),
  ...NAMING_PARAMETERS,
])

/** A criterion or a part of it: parameters of one unit mean something only together. */
type Place = {
  readonly unit: string
  /** Whether it says what to search for, not only how; without it the unit is no criterion. */
  readonly isLeading: boolean
}

/** The parameters of the search screen that belong together, and which of them lead. */
const UNITS: readonly { pattern: RegExp; unit: (match: string) => string; leading: RegExp }[] = [
  { pattern: /^(?:[fovnj]\d+|j_top)$/, unit: () => 'rows', leading: /^f/ },
  {
    pattern: /^(?:(?:field|type|value)-?\d+-\d+-\d+|negate-?\d+)$/,
    unit: () => 'charts',
    leading: /^field/,
  },
  {
    pattern: /^email[a-z_]*\d+$/,
    unit: (name) => `people ${/\d+$/.exec(name)?.[0]}`,
    leading: /^email\d/,
  },
  { pattern: /^chfield(?:from|to|value)?$/, unit: () => 'changes', leading: /^/ },
  { pattern: /^deadline(?:from|to)$/, unit: () => 'field deadline', leading: /^/ },
]

/** Companions that are not named after their field with `_type`. */
const COMPANIONS: ReadonlyMap<string, string> = new Map([
  ['bugidtype', 'bug_id'],
  ['longdesc_initial', 'longdesc'],
])

/**
 * The parameters of a request with those of a stored query below them. All criteria have to match; one that the
 * request gives too, under any of its names, replaces the stored one as a whole, all rows of a custom search
 * together. An order of the request replaces the stored one. Paging, counting and the selection of fields are those
 * of the request.
 */
export function mergeSavedSearch(
  parameters: SearchParameters,
  query: string,
): Record<string, string[]> {
  const given = Object.entries(parameters).flatMap(([name, values]): [string, string[]][] =>
    values !== undefined && !NAMING_PARAMETERS.has(name) && hasMeaning(name, values)
      ? [[name, [...values]]]
      : [],
  )
  const names = new Set(given.map(([name]) => name.toLowerCase()))
  const units = new Set(
    given.map(([name]) => placeOf(name)).flatMap(({ unit, isLeading }) => (isLeading ? unit : [])),
  )
  const stored = Object.entries(parseQueryString(query)).filter(
    ([name]) =>
      !OF_REQUEST.has(name) && !names.has(name.toLowerCase()) && !units.has(placeOf(name).unit),
  )
  return Object.fromEntries([...stored, ...given])
}

/** A blank value is ignored, except for a resolution. */
function hasMeaning(name: string, values: readonly string[]): boolean {
  return name.toLowerCase() === 'resolution'
    ? values.length > 0
    : values.some((value) => value.trim() !== '')
}

/** The place of a parameter, whose name may be in any case. */
function placeOf(spelling: string): Place {
  const name = spelling.trim().toLowerCase()
  const found = UNITS.find(({ pattern }) => pattern.test(name))
  if (found !== undefined) {
    return { unit: found.unit(name), isLeading: found.leading.test(name) }
  }
  const companionOf =
    fieldOf(name) === undefined
      ? (COMPANIONS.get(name) ?? /^(.+)_type$/.exec(name)?.[1])
      : undefined
  return { unit: unitOf(companionOf ?? name), isLeading: companionOf === undefined }
}

function unitOf(name: string): string {
  const field = fieldOf(name)
  return field === undefined ? `parameter ${name}` : `field ${field}`
}

/** The internal name of a field that is not a custom one, which has a single name. */
function fieldOf(name: string): string | undefined {
  return findSearchField(name, EMPTY_CONFIGURATION, SYSTEM)?.name
}
