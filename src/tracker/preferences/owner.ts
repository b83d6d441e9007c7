import type { SQL } from 'drizzle-orm'
import type { Caller, Person } from '../../platform/access/caller.ts'
import { assertLoggedIn, assertRole } from '../../platform/access/rights.ts'
import { users } from '../../platform/db/schema/users.ts'
import { sql } from '../../platform/db/sql.ts'
import { type Fault, fault } from '../../platform/faults/fault.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import { isDigits } from '../../platform/lib/id-or-name.ts'
import { foldName } from '../../platform/lib/text.ts'
import { userIdUnknown, userUnknown } from '../users/faults.ts'

/** Whose preferences a request is about. */
export type Owner = {
  readonly caller: Person
  /** A row of `users`. */
  readonly condition: SQL
  /** The fault when there is no such account. */
  readonly unknown: Fault
}

/**
 * The account of a path, where digits are an ID: the caller, or another for callers who edit users. Faults 410,
 * 52, and 304 whether the other account exists or not.
 */
export function resolveOwner(given: Caller, idOrName: string): Owner {
  const caller = assertLoggedIn(given)
  if (isDigits(idOrName)) {
    const id = requireId('id_or_name', idOrName)
    assertOwnOrEditor(caller, id === caller.id)
    return { caller, condition: sql`${users.id} = ${id}`, unknown: fault(userIdUnknown, { id }) }
  }
  const loginFold = foldName(idOrName)
  assertOwnOrEditor(caller, loginFold === foldName(caller.login))
  return {
    caller,
    condition: sql`${users.loginFold} = ${loginFold}`,
    unknown: fault(userUnknown, { login: idOrName.trim() }),
  }
}

function assertOwnOrEditor(caller: Person, isOwn: boolean): void {
  if (!isOwn) {
    assertRole(caller, 'editusers', 'see or change the mail preferences of other accounts')
  }
}
