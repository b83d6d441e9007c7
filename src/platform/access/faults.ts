import type { FaultName } from '../faults/faults.ts'

/** Of references to bugs that are unknown or hidden from the caller. */
export const bugAccessFaults = [
  'bugAliasUnknown',
  'bugIdUnknown',
  'bugNotVisible',
] as const satisfies readonly FaultName[]

/** Of a login with its password. */
export const passwordFaults = [
  'badLogin',
  'accountDisabled',
  'loginLocked',
  'newPasswordRequired',
  'passwordsBusy',
  'passwordsThrottled',
] as const satisfies readonly FaultName[]

/** Of an API key. */
export const apiKeyFaults = [
  'apiKeyInvalid',
  'apiKeyRevoked',
  'apiKeyExpired',
] as const satisfies readonly FaultName[]
