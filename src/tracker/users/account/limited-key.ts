import type { Person } from '../../../platform/access/caller.ts'
import { fault } from '../../../platform/faults/fault.ts'
import { keyMayNotManageAccount } from '../faults.ts'

/** Refuses a limited API key, whose holder could otherwise take the account over or learn where its owner is. */
export function assertMayManageAccount({ scope }: Person): void {
  if (scope !== undefined) {
    throw fault(keyMayNotManageAccount)
  }
}
