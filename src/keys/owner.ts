import type { Caller } from '../access/caller.ts'
import { assertLoggedIn, assertRole } from '../access/rights.ts'
import { fold } from '../lib/text.ts'

/**
 * The folded login of the account whose keys a request is about; null for that of the caller. Other accounts
 * require the right to edit users and need not exist. Faults 410 and 304.
 */
export function resolveOtherOwner(caller: Caller, user: string | undefined): string | null {
  const { login } = assertLoggedIn(caller)
  const loginFold = fold((user ?? '').trim())
  if (loginFold === '' || loginFold === fold(login)) {
    return null
  }
  assertRole(caller, 'editusers', 'manage the API keys of other accounts')
  return loginFold
}
