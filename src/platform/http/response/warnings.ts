import type { NamedList } from '../../context.ts'

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 60

const TITLES = [
  ['parameters', 'unused parameters'],
  ['include_fields', 'include_fields'],
  ['exclude_fields', 'exclude_fields'],
] as const

/** The header that names what was given in vain; what is no part of a header is percent-encoded. */
export function presentWarnings(unused: ReadonlyMap<NamedList, readonly string[]>): string {
  return TITLES.flatMap(([list, title]) => {
    const names = unused.get(list)
    return names === undefined ? [] : [`${title}: ${presentNames(names)}`]
  }).join('; ')
}

function presentNames(all: readonly string[]): string {
  const names = all
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
  const more = all.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
