import type { NamedList } from '../../context.ts'

const MAX_NAMES = 20
const MAX_NAME_LENGTH = 60

const MAX_SENTENCES = 5
const MAX_SENTENCE_LENGTH = 200

const TITLES = [
  ['parameters', 'unused parameters'],
  ['include_fields', 'include_fields'],
  ['exclude_fields', 'exclude_fields'],
  ['columnlist', 'columnlist'],
  ['faults', 'faults'],
] as const

/** The header that names what was given in vain; what is no part of a header is percent-encoded. */
export function presentWarnings(unused: ReadonlyMap<NamedList, readonly string[]>): string {
  return TITLES.flatMap(([list, title]) => {
    const names = unused.get(list)
    if (names === undefined || names.length === 0) {
      return []
    }
    const present = list === 'faults' ? presentSentences : presentNames
    return [`${title}: ${present(names)}`]
  }).join('; ')
}

function presentNames(all: readonly string[]): string {
  const names = all
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
  const more = all.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

function presentSentences(all: readonly string[]): string {
  const sentences = all.slice(0, MAX_SENTENCES).map((text) =>
    text
      .slice(0, MAX_SENTENCE_LENGTH)
      .toWellFormed()
      .replace(/[^\x20-\x7e]|%/gu, encodeURIComponent),
  )
  const more = all.length - sentences.length
  return `${sentences.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`
}
