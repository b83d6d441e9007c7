import type { BugSet } from '../../access/bug-set.ts'
import type { FlagInput } from '../../flags/input.ts'
import { readFlags } from '../../flags/load.ts'
import { type AskedPlace, productCalled } from './product-move-load.ts'

type Asked = AskedPlace & { readonly flags?: readonly FlagInput[] | undefined }

/**
 * Reads the flags of bugs that an update may change: those it names, and where a bug may move all of the
 * bug and of its attachments, with the types that apply where it goes. Contract "Bugs", flags.
 */
export function readFlagsOfChange(set: BugSet, { flags = [], product, component }: Asked) {
  const isMove = Boolean(product?.trim())
  return readFlags({
    inputs: flags,
    bugs: set,
    moves: isMove || Boolean(component?.trim()),
    ...(isMove ? { products: productCalled(product) } : {}),
  })
}
