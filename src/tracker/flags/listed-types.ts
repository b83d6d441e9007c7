import { MOST_OF_REQUEST, take } from '../../platform/db/request-limits.ts'
import type { SessionHolder } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { flagTypesTooMany } from './faults.ts'
import type { ComponentKey, TypeFinder } from './scopes.ts'

/** What is listed, and what lists less of it. */
type Listing = {
  readonly limit: 'flagTypes' | 'flagTypeIds'
  readonly kind: string
  readonly advice: string
}

export const WHOLE_TYPES: Listing = {
  limit: 'flagTypes',
  kind: 'flag types',
  advice:
    "Leave them out, with 'exclude_fields=components.flag_types' or by other fields in 'include_fields'",
}

export const IDS_OF_TYPES: Listing = {
  limit: 'flagTypeIds',
  kind: 'IDs of flag types',
  advice: "Leave them out, with 'flags=0' or 'exclude_fields=product'",
}

/**
 * Counts the flag types that an answer is to list for each of these components, before any is presented. Throws a fault
 * when they are more than one request may list.
 */
export function admitListedTypes<Type>(
  ctx: SessionHolder,
  components: readonly ComponentKey[],
  findTypes: TypeFinder<Type>,
  { limit, kind, advice }: Listing,
): void {
  const most = MOST_OF_REQUEST[limit]
  for (const component of components) {
    if (take(ctx, limit, findTypes(component).length) > most) {
      throw fault(flagTypesTooMany, { most: most.toLocaleString('en'), kind, advice })
    }
  }
}
