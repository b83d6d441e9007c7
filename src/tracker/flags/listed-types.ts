import type { QueryCost, SessionHolder } from '../../platform/db/session.ts'
import { fault } from '../../platform/faults/fault.ts'
import { perObject } from '../../platform/lib/isolate.ts'
import { flagTypesTooMany } from './faults.ts'
import type { ComponentKey, TypeFinder } from './scopes.ts'

/** How much one request may list, and what lists less. */
type Bound<Type> = {
  readonly most: number
  /** How many one type counts as. */
  weigh(type: Type): number
  readonly kind: string
  readonly advice: string
}

type Texts = { readonly name: string; readonly description: string; readonly ccList: string }

/** Characters up to which the texts of a type count for nothing more. */
const SHORT = 200

/** Flag types with all they have, as each component of a product repeats them: some 20 MB of JSON. */
export const WHOLE_TYPES: Bound<Texts> = {
  most: 50_000,
  weigh: ({ name, description, ccList }) =>
    Math.max(1, Math.ceil((name.length + description.length + ccList.length) / SHORT)),
  kind: 'flag types',
  advice:
    "Leave them out, with 'exclude_fields=components.flag_types' or by other fields in 'include_fields'",
}

/** IDs of flag types, as each component of the configuration repeats them. */
export const IDS_OF_TYPES: Bound<unknown> = {
  most: 500_000,
  weigh: () => 1,
  kind: 'IDs of flag types',
  advice: "Leave them out, with 'flags=0' or 'exclude_fields=product'",
}

/** The share of its bounds that one request has listed, however many calls it makes. */
const listedBy = perObject((_: QueryCost) => new Map<string, number>())

/**
 * Counts the flag types that an answer is to list for each of these components, before any is presented. Throws a fault
 * when they are more than one request may list.
 */
export function admitListedTypes<Type>(
  { session }: SessionHolder,
  components: readonly ComponentKey[],
  findTypes: TypeFinder<Type>,
  { most, weigh, kind, advice }: Bound<Type>,
): void {
  const listed = listedBy(session.cost)
  const weights = new Map<readonly Type[], number>()
  for (const component of components) {
    const types = findTypes(component)
    const weight = weights.get(types) ?? types.reduce((sum, type) => sum + weigh(type), 0)
    weights.set(types, weight)
    const total = (listed.get(kind) ?? 0) + weight
    listed.set(kind, total)
    if (total > most) {
      throw fault(flagTypesTooMany, { most: most.toLocaleString('en'), kind, advice })
    }
  }
}
