import type { Selection } from '../../platform/lib/selection.ts'
import { streamJson } from '../../platform/lib/stream.ts'
import type { ComponentKey, TypeFinder } from '../flags/scopes.ts'
import type { FlagTypeRow } from './present.ts'
import type { Product } from './shapes.ts'

/** Characters of flag types from which an answer is sent in pieces: with few of them it has an ETag. */
const LONG = 1_000_000
/** Of a flag type beside its texts. */
const MEMBERS = 200

/** Whether the components repeat so many flag types that the text of many such answers would not fit into memory. */
export function repeatsLongTypes(
  components: readonly ComponentKey[],
  findTypes: TypeFinder<FlagTypeRow>,
): boolean {
  const lengths = new Map<readonly FlagTypeRow[], number>()
  let total = 0
  for (const component of components) {
    const types = findTypes(component)
    const length = lengths.get(types) ?? types.reduce((sum, type) => sum + lengthOf(type), 0)
    lengths.set(types, length)
    total += length
  }
  return total > LONG
}

function lengthOf({ name, description, ccList }: FlagTypeRow): number {
  return MEMBERS + name.length + description.length + ccList.length
}

/** The answer with these products, which is written a component at a time while it is sent. */
export function streamProducts(products: readonly Product[], selection: Selection): Response {
  return streamJson(writeProducts(products, selection), 'products')
}

async function* writeProducts(products: readonly Product[], selection: Selection) {
  yield '{"products":['
  for (const [n, product] of products.entries()) {
    const { components = [], ...own } = selection.prune(product)
    const members = JSON.stringify(own).slice(1, -1)
    yield `${n > 0 ? ',' : ''}{${members}${members === '' ? '' : ','}"components":[`
    for (const [m, component] of components.entries()) {
      yield `${m > 0 ? ',' : ''}${JSON.stringify(component)}`
    }
    yield ']}'
  }
  yield ']}'
}
