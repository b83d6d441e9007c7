import { FIELD_CATALOGUE, type FieldRow } from '../../fields/catalogue.ts'
import { toPublicName } from '../../fields/names.ts'
import type { SearchConfiguration } from '../configuration.ts'

/** The fields that a name may mean: an exact one wins; else those of which it is the start of a name. */
export type NameMatch = {
  readonly isExact: boolean
  /** Each field once, by its internal name, with the name of it that matched. */
  readonly matches: readonly { readonly field: string; readonly name: string }[]
}

const FIELDS = Object.entries(FIELD_CATALOGUE).flatMap(([field, row]: [string, FieldRow]) => {
  const byDefault = field.includes('.') ? null : [field]
  const names = row.quicksearch === undefined ? byDefault : row.quicksearch
  const apiNames = row.isInQuicksearchByApiName ? [toPublicName(field)] : []
  return names === null ? [] : [{ field, names, exact: [field, ...names, ...apiNames] }]
})

const EXACT_NAMES: ReadonlyMap<string, string> = new Map(
  FIELDS.flatMap(({ field, exact }) => exact.map((name) => [name, field] as const)),
)

const SHORTENED_NAMES = FIELDS.flatMap(({ field, names }) => names.map((name) => ({ field, name })))

const CUSTOM_PREFIX = 'cf_'

/** The fields that a name in a quicksearch may mean, in any case; none for an unknown name. */
export function matchFieldName(text: string, configuration: SearchConfiguration): NameMatch {
  const name = text.toLowerCase()
  const exact =
    EXACT_NAMES.get(name) ??
    [name, CUSTOM_PREFIX + name].find((custom) => configuration.customFields.has(custom))
  if (exact !== undefined) {
    return { isExact: true, matches: [{ field: exact, name }] }
  }
  const standard = SHORTENED_NAMES.filter((candidate) => candidate.name.startsWith(name))
  const custom = [...configuration.customFields.keys()]
    .filter((field) => field.startsWith(name) || field.startsWith(CUSTOM_PREFIX + name))
    .map((field) => ({ field, name: field }))
  // the first name of a field is the one to show
  const matches = new Map(
    [...standard, ...custom].reverse().map((candidate) => [candidate.field, candidate]),
  )
  const byName = [...matches.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  return { isExact: false, matches: byName }
}
