import {
  assertLoggedIn,
  assertRole,
  type Caller,
  type Person,
} from '../../platform/access/caller.ts'
import { fault } from '../../platform/faults/fault.ts'
import { fold } from '../../platform/lib/text.ts'
import { keyMayNotManageKeys } from './faults.ts'

/**
 * Refuses a caller with a limited API key, who could make a key with more rights. `itself` is the key that even a
 * limited one may end or replace.
 */
export function assertMayManageKeys({ scope }: Person, itself: number | null = null): void {
  if (scope !== undefined && scope.keyId !== itself) {
    throw fault(keyMayNotManageKeys)
  }
}

/**
 * The folded login of the account whose keys a request is about; null for that of the caller. Other accounts require
 * the right to edit users and need not exist.
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
