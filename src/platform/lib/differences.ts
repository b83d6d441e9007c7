export type ComparedValue = string | number | boolean | null

/**
 * The fields whose values differ between two states of an object. Values are texts: booleans are '1' and '0', null is
 * the empty text.
 */
export function diffFields<State extends Record<string, ComparedValue>>(
  before: State,
  after: State,
): Record<string, { removed: string; added: string }> {
  const changes = Object.keys(after)
    .map((field) => ({ field, removed: toText(before[field]), added: toText(after[field]) }))
    .filter(({ removed, added }) => removed !== added)
  return Object.fromEntries(changes.map(({ field, removed, added }) => [field, { removed, added }]))
}

/** All fields of a new object, as changes from the empty text. */
export function diffFromNothing(
  after: Record<string, ComparedValue>,
): Record<string, { removed: string; added: string }> {
  return Object.fromEntries(
    Object.entries(after).map(([field, value]) => [field, { removed: '', added: toText(value) }]),
  )
}

function toText(value: ComparedValue | undefined): string {
  if (value === null || value === undefined) {
    return ''
  }
  return typeof value === 'boolean' ? (value ? '1' : '0') : String(value)
}
