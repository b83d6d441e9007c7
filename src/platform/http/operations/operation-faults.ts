import { apiKeyFaults, passwordFaults } from '../../access/faults.ts'
import type { FaultName } from '../../faults/faults.ts'
import type { AcceptedCredentials, NeededScope, Operation } from './operation.ts'
import { takesParameters } from './operation.ts'

/** The faults of paths that no operation serves. */
export const SERVICE_FAULTS = ['noSuchPath', 'queryTooLong'] as const satisfies readonly FaultName[]

const COMMON_FAULTS = [
  'badCallback',
  'throttled',
  'storageUnavailable',
  'unforeseen',
] as const satisfies readonly FaultName[]

const PARAMETER_FAULTS = [
  'parameterMissing',
  'parameterInvalid',
  'notAnInteger',
  'notACount',
  'dateInvalid',
] as const satisfies readonly FaultName[]

/** A write parses a body, and may conflict with other writes. */
const WRITE_FAULTS = [
  'badJson',
  'bodyTooLarge',
  'bodyIncomplete',
  'busy',
] as const satisfies readonly FaultName[]

/** Every POST accepts an idempotency key. */
const IDEMPOTENCY_FAULTS = [
  'idempotencyKeyTaken',
  'requestUnfinished',
  'answerLost',
] as const satisfies readonly FaultName[]

/** `REQUIRE_LOGIN` demands a login at every operation that accepts all credentials. */
const CREDENTIAL_FAULTS: Readonly<Record<AcceptedCredentials, readonly FaultName[]>> = {
  all: [...passwordFaults, ...apiKeyFaults, 'tokenInvalid', 'loginRequired'],
  password: passwordFaults,
  ignored: [],
}

type OperationKind = Pick<Operation, 'method' | 'path' | 'input' | 'credentials' | 'scope'>

/** What a limited API key is refused with. */
function scopeFaults(scope: NeededScope): readonly FaultName[] {
  return [
    ...(scope.startsWith('write') ? (['keyMayNotWrite'] as const) : []),
    ...(scope.endsWith('all-products') ? (['keyIsForProducts'] as const) : []),
  ]
}

/** The faults that follow from the kind of an operation, so that it need not declare them. */
export function derivedFaults(operation: OperationKind): readonly FaultName[] {
  return [
    ...COMMON_FAULTS,
    ...CREDENTIAL_FAULTS[operation.credentials],
    ...(operation.credentials === 'all' ? scopeFaults(operation.scope) : []),
    ...(takesParameters(operation) ? PARAMETER_FAULTS : []),
    ...(operation.method === 'GET' ? [] : WRITE_FAULTS),
    ...(operation.method === 'POST' ? IDEMPOTENCY_FAULTS : []),
  ]
}

/** Every fault that an operation may answer: derived and declared. */
export function faultsOf(
  operation: OperationKind & Pick<Operation, 'faults'>,
): readonly FaultName[] {
  const needsRight = operation.faults.includes('notAuthorized')
  return [
    ...new Set([
      ...derivedFaults(operation),
      ...operation.faults,
      ...(needsRight ? (['keyMayNotAdminister'] as const) : []),
    ]),
  ]
}
