import type { SQL } from 'drizzle-orm'
import { assertRole, type Person } from '../../platform/access/caller.ts'
import { users } from '../../platform/db/schema/users.ts'
import { sql } from '../../platform/db/sql.ts'
import { type Fault, fault } from '../../platform/faults/fault.ts'
import { right } from '../../platform/http/operations/operation.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { foldName } from '../../platform/lib/text.ts'
import { userIdUnknown, userUnknown } from '../users/faults.ts'

/** Whose preferences a request is about. */
export type Owner = {
  /** A row of `users`. */
  readonly condition: SQL
  /** The fault when there is no such account. */
  readonly unknown: Fault
}

/**
 * The person whom the path names, and people who edit users; others do not learn whether the account exists.
 */
export const ownerOrEditor = right(({ caller }, { id_or_name }) => ({
  owner: resolveOwner(caller, String(id_or_name)),
}))

/** The account of a path, where digits are an ID. */
function resolveOwner(caller: Person, idOrName: string): Owner {
  if (isDigits(idOrName)) {
    const id = requireId('id_or_name', idOrName)
    assertOwnOrEditor(caller, id === caller.id)
    return { condition: sql`${users.id} = ${id}`, unknown: fault(userIdUnknown, { id }) }
  }
  const loginFold = foldName(idOrName)
  assertOwnOrEditor(caller, loginFold === foldName(caller.login))
  return {
    condition: sql`${users.loginFold} = ${loginFold}`,
    unknown: fault(userUnknown, { login: idOrName.trim() }),
  }
}

function assertOwnOrEditor(caller: Person, isOwn: boolean): void {
  if (!isOwn) {
    assertRole(caller, 'editusers', 'see or change the mail preferences of other accounts')
  }
}
