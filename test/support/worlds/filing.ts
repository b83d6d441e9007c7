import { insertGroup } from '../builders/groups.ts'
import { insertPerson } from '../builders/people.ts'
import { insertProduct, insertProductPart } from '../builders/products.ts'
import type { TestGroup, TestPerson, TestProduct } from '../builders/types.ts'

type FilingWorld = {
  readonly place: TestProduct
  readonly owner: TestPerson
  readonly reporter: TestPerson
  readonly editor: TestPerson
  readonly insider: TestPerson
  readonly member: TestPerson
  readonly team: TestGroup
}

/** A product with an assignee and the milestone M1, whose bugs members of `team` may put into it. */
export async function buildFilingWorld(): Promise<FilingWorld> {
  const [owner, member] = [await insertPerson(), await insertPerson()]
  const team = await insertGroup([member])
  const controls = [{ group: team, memberControl: 1, otherControl: 0 }]
  const place = await insertProduct({ assignee: owner, controls })
  await insertProductPart('milestones', place, 'M1')
  return {
    ...{ place, owner, member, team },
    reporter: await insertPerson(),
    editor: await insertPerson({ roles: ['editbugs'] }),
    insider: await insertPerson({ roles: ['insider'] }),
  }
}
