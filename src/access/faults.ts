import type { FaultName } from '../faults.ts'

/** Bugs named by ID or alias: unknown, or hidden from the caller. */
export const bugAccessFaults = [
  'bugAliasUnknown',
  'bugIdUnknown',
  'bugNotVisible',
] as const satisfies readonly FaultName[]

/** A login and its password. */
export const passwordFaults = [
  'badLogin',
  'accountDisabled',
  'loginLocked',
  'newPasswordRequired',
] as const satisfies readonly FaultName[]

/** An API key, and whoever tries many. */
export const apiKeyFaults = [
  'apiKeyInvalid',
  'apiKeyRevoked',
  'throttled',
] as const satisfies readonly FaultName[]
