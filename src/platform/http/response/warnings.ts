const MAX_NAMES = 20
const MAX_NAME_LENGTH = 60

/** The header that names parameters which were given in vain; what is no part of a header is percent-encoded. */
export function presentWarnings(unused: readonly string[]): string {
  const names = unused
    .slice(0, MAX_NAMES)
    .map((name) => encodeURIComponent(name.slice(0, MAX_NAME_LENGTH).toWellFormed()))
  const more = unused.length - names.length
  return `unused parameters: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
