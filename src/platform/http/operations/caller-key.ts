import type { Caller } from '../../access/caller.ts'
import { networkOf, UNKNOWN_ADDRESS } from '../request/client-address.ts'

/** Who shares turns and long answers, strangers of unknown addresses together. */
export function turnOwner({
  caller,
  ip,
}: {
  readonly caller: Caller
  readonly ip: string
}): string {
  return callerKey({ caller, address: ip }) ?? UNKNOWN_ADDRESS
}

/** Who shares a limit; null for an unknown address. */
export function callerKey({
  caller,
  address,
}: {
  readonly caller: Caller
  readonly address: string
}): string | null {
  return caller.kind === 'person' ? `person ${caller.id}` : networkOf(address)
}
