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
  // of the components with the same types, which share them
  let [written, text]: [object | undefined, string] = [undefined, '']
  yield '{"products":['
  for (const [n, product] of products.entries()) {
    const { components = [], ...own } = selection.prune(product)
    yield `${n > 0 ? ',' : ''}${beginObject(own)}"components":[`
    for (const [m, { flag_types: types, ...component }] of components.entries()) {
      if (types !== written) {
        written = types
        text = JSON.stringify(types)
      }
      yield `${m > 0 ? ',' : ''}${beginObject(component)}"flag_types":${text}}`
    }
    yield ']}'
  }
  yield ']}'
}

/** An object without its end, where another member follows. */
function beginObject(members: object): string {
  const text = JSON.stringify(members).slice(0, -1)
  return text === '{' ? text : `${text},`
}
