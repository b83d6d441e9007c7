type Value = string | number | boolean | null

/**
 * What differs between two states of an object, field by field, as the contract shows changes: text, truth
 * values as '1' and '0', nothing as the empty text. Fields that stay are left out.
 */
export function differences<State extends Record<string, Value>>(
  before: State,
  after: State,
): Record<string, { removed: string; added: string }> {
  const changed = Object.keys(after)
    .map((field) => ({ field, removed: told(before[field]), added: told(after[field]) }))
    .filter(({ removed, added }) => removed !== added)
  return Object.fromEntries(changed.map(({ field, removed, added }) => [field, { removed, added }]))
}

/** What a new object holds, in the form of a change from nothing. */
export function beginnings(
  after: Record<string, Value>,
): Record<string, { removed: string; added: string }> {
  return Object.fromEntries(
    Object.entries(after).map(([field, value]) => [field, { removed: '', added: told(value) }]),
  )
}

function told(value: Value | undefined): string {
  if (value === null || value === undefined) {
    return ''
  }
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
}
