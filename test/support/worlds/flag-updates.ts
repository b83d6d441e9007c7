import { insertFlagType } from '../builders/flags.ts'
import { insertGroup } from '../builders/groups.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct } from '../builders/products.ts'
import type { TestFlagType, TestPerson, TestProduct } from '../builders/types.ts'

type FlagUpdateWorld = {
  readonly place: TestProduct
  readonly reporter: TestPerson
  readonly ann: TestPerson
  readonly bob: TestPerson
  /** In the grant group of `guarded`. */
  readonly granter: TestPerson
  /** In the request group of `guarded`. */
  readonly requester: TestPerson
  readonly editor: TestPerson
  readonly types: Readonly<
    Record<
      | 'open'
      | 'guarded'
      | 'single'
      | 'inactive'
      | 'withoutRequestee'
      | 'answer'
      | 'ambiguous'
      | 'foreign'
      | 'forAttachments',
      TestFlagType
    >
  >
}

/** A product with flag types of every kind, of which two have the name of `ambiguous`. */
export async function buildFlagUpdateWorld(): Promise<FlagUpdateWorld> {
  const [granter, requester] = [await insertPerson(), await insertPerson()]
  const grantGroupId = (await insertGroup([granter])).id
  const requestGroupId = (await insertGroup([requester])).id
  const [place, elsewhere] = [await insertProduct(), await insertProduct()]
  const here = [{ productId: place.id }]
  const types = {
    open: await insertFlagType({}, here),
    guarded: await insertFlagType({ grantGroupId, requestGroupId }, here),
    single: await insertFlagType({ isMultiplicable: false }, here),
    inactive: await insertFlagType({ isActive: false }, here),
    withoutRequestee: await insertFlagType({ isRequesteeble: false }, here),
    answer: await insertFlagType({ isRequestable: false }, here),
    ambiguous: await insertFlagType({}, here),
    foreign: await insertFlagType({}, [{ productId: elsewhere.id }]),
    forAttachments: await insertFlagType({ target: 'attachment' }, here),
  }
  await insertFlagType({ name: types.ambiguous.name }, here)
  return {
    ...{ place, granter, requester, types },
    reporter: await insertPerson(),
    ann: await insertPerson(),
    bob: await insertPerson(),
    editor: await insertPerson({ roles: ['editbugs'] }),
  }
}
