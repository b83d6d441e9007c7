import type { Caller } from '../../platform/access/caller.ts'
import { notAuthorized } from '../../platform/access/faults.ts'
import { fault } from '../../platform/faults/fault.ts'
import type { SearchConfiguration } from './configuration.ts'
import { searchFieldUnknown } from './faults.ts'
import type { ParseContext } from './parse-context.ts'
import { findSearchField, maySearchBy, SEARCH_FIELDS, type SearchField } from './search-fields.ts'

const MOST_HINTS = 3
const MOST_EDITS = 2

const BUILT_IN_NAMES = Object.entries(SEARCH_FIELDS).flatMap(([name, entry]) => [
  name,
  ...('names' in entry ? entry.names : []),
])

/**
 * The field that a row of a search names. Faults: 108 for a name that is no field for the caller, with
 * names that are similar; 304 for a field that needs a right. Reference: search.md, "Search fields".
 */
export function requireSearchField(
  name: string,
  source: string,
  { configuration, caller }: ParseContext,
): SearchField {
  const field = findSearchField(name, configuration, caller)
  if (field === undefined) {
    throw fault(searchFieldUnknown, { source, name, hint: hintAt(name, configuration, caller) })
  }
  assertMaySearchBy(field, caller)
  return field
}

/** Fault 304 for a caller without the right that searching by the field needs. */
export function assertMaySearchBy(field: SearchField, caller: Caller): void {
  if (!maySearchBy(field, caller)) {
    throw fault(notAuthorized, { action: `search by '${field.name}'` })
  }
}

function hintAt(name: string, configuration: SearchConfiguration, caller: Caller): string {
  const near = findNearNames(name.trim().toLowerCase(), [
    ...BUILT_IN_NAMES.filter(
      (known) => findSearchField(known, configuration, caller) !== undefined,
    ),
    ...configuration.customFields.keys(),
  ])
  return near.length === 0 ? '' : `; similar: ${near.map((known) => `'${known}'`).join(', ')}`
}

/** The names that differ by a slip of the keyboard, or by what one has before or behind the other. */
function findNearNames(name: string, names: readonly string[]): string[] {
  const isPart = (known: string) =>
    name.length > 2 && (known.includes(name) || (known.length > 4 && name.includes(known)))
  return names
    .map((known) => ({ known, edits: countEdits(name.slice(0, 64), known) }))
    .filter(({ known, edits }) => edits <= MOST_EDITS || isPart(known))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, MOST_HINTS)
    .map(({ known }) => known)
}

/** How many letters have to be put in, taken out or exchanged to make one text of the other. */
function countEdits(from: string, to: string): number {
  let costs = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...from].entries()) {
    const next = [row + 1]
    for (const [column, other] of [...to].entries()) {
      const exchanged = (costs[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(exchanged, (costs[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    costs = next
  }
  return costs[to.length] ?? 0
}
