import { fault } from '../faults/fault.ts'
import { Turns } from '../load/turns.ts'
import { passwordsBusy, passwordsThrottled } from './faults.ts'

/** Verifications of passwords that wait in one isolate: of one address, and of all. */
const MAX_PER_ADDRESS = 8
const MAX_WAITING = 16
const PAUSE_MS = 50

const turns = new Turns<string>(PAUSE_MS)

/**
 * Runs the verification of a password after all earlier ones of this isolate: each blocks the processor for a
 * sixth of a second, and has to see the failures of those before it.
 */
export async function runInPasswordTurn<Result>(
  address: string,
  verify: () => Promise<Result>,
): Promise<Result> {
  const waiting = turns.listOwners()
  if (waiting.filter((one) => one === address).length >= MAX_PER_ADDRESS) {
    throw fault(passwordsThrottled)
  }
  if (waiting.length >= MAX_WAITING) {
    throw fault(passwordsBusy)
  }
  return turns.run(address, verify)
}
