import type { QueryCost, SessionHolder } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { flagTypesTooMany } from './faults.ts'
import type { ComponentKey, TypeFinder } from './scopes.ts'

/** How much one request may list, and what lists less. */
type Bound = { readonly most: number; readonly kind: string; readonly advice: string }

/** Flag types with all they have, as each component of a product repeats them. */
export const WHOLE_TYPES: Bound = {
  most: 50_000,
  kind: 'flag types',
  advice:
    "Leave them out, with 'exclude_fields=components.flag_types' or by other fields in 'include_fields'",
}

/** IDs of flag types, as each component of the configuration repeats them. */
export const IDS_OF_TYPES: Bound = {
  most: 500_000,
  kind: 'IDs of flag types',
  advice: "Leave them out, with 'flags=0' or 'exclude_fields=product'",
}

/** What one request has listed of each kind, however many calls it makes. */
const listedBy = perObject((_: QueryCost) => new Map<string, number>())

/**
 * Counts the flag types that an answer is to list for each of these components, before any is presented. Throws a fault
 * when they are more than one request may list.
 */
export function admitListedTypes<Type>(
  { session }: SessionHolder,
  components: readonly ComponentKey[],
  findTypes: TypeFinder<Type>,
  { most, kind, advice }: Bound,
): void {
  const listed = listedBy(session.cost)
  for (const component of components) {
    const total = (listed.get(kind) ?? 0) + findTypes(component).length
    listed.set(kind, total)
    if (total > most) {
      throw fault(flagTypesTooMany, { most: most.toLocaleString('en'), kind, advice })
    }
  }
}
