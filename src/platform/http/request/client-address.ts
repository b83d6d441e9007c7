import type { Context } from 'hono'
import { toNetwork } from '../../lib/address.ts'
import { readSettings, type Settings } from '../../settings/settings.ts'
import type { AppEnv } from './app-env.ts'

/** All clients of unknown address: one for guesses and turns, and none for limits per minute. */
export const UNKNOWN_ADDRESS = 'unknown'

/**
 * The address of the client, from the header that the platform or a proxy sets. Of several addresses the last counts,
 * because a proxy appends the one it sees to what the client claims.
 */
export function findClientAddress(
  headers: Headers,
  { CLIENT_ADDRESS_HEADER: name }: Pick<Settings, 'CLIENT_ADDRESS_HEADER'>,
): string {
  const value = name === '' ? null : headers.get(name)
  return value?.split(',').at(-1)?.trim() || UNKNOWN_ADDRESS
}

/** The network of the client of a request. */
export function networkOfClient(c: Context<AppEnv>): string | null {
  return networkOf(findClientAddress(c.req.raw.headers, readSettings(c.env)))
}

/** The network of an address, whose clients share a limit; null for an unknown one. */
export function networkOf(address: string): string | null {
  return address === UNKNOWN_ADDRESS ? null : toNetwork(address)
}
