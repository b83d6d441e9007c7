import type { Caller } from '../access/caller.ts'
import { assertLoggedIn, assertRole } from '../access/rights.ts'
import { fold } from '../lib/text.ts'

/**
 * The folded login of the account whose keys a call is about, when it is not the caller's own; null for
 * the caller's own. Other accounts take the right to edit users. Faults 410 and 304; whether the account
 * exists is for who reads it to tell.
 */
export function resolveOtherOwner(caller: Caller, user: string | undefined): string | null {
  const { login } = assertLoggedIn(caller)
  const asked = fold((user ?? '').trim())
  if (asked === '' || asked === fold(login)) {
    return null
  }
  assertRole(caller, 'editusers', 'manage the API keys of other accounts')
  return asked
}
