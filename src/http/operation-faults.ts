import { apiKeyFaults, passwordFaults } from '../access/faults.ts'
import type { FaultName } from '../faults.ts'
import type { AcceptedCredentials, Operation } from './operation.ts'
import { takesParameters } from './operation.ts'

/** What is below /rest but no operation. */
export const SERVICE_FAULTS = ['noSuchPath'] as const satisfies readonly FaultName[]

const EVERYWHERE = ['badCallback', 'unforeseen'] as const satisfies readonly FaultName[]

const OF_PARAMETERS = [
  'parameterMissing',
  'parameterInvalid',
  'notAnInteger',
  'notACount',
  'dateInvalid',
] as const satisfies readonly FaultName[]

/** A body is read, and what it asks for is written, perhaps at the same time as by others. */
const OF_WRITES = ['badJson', 'bodyTooLarge', 'busy'] as const satisfies readonly FaultName[]

/** A service may demand a login of everybody whose credentials count. */
const OF_CREDENTIALS: Readonly<Record<AcceptedCredentials, readonly FaultName[]>> = {
  all: [...passwordFaults, ...apiKeyFaults, 'tokenInvalid', 'loginRequired'],
  password: passwordFaults,
  ignored: [],
}

type Kind = Pick<Operation, 'method' | 'path' | 'input' | 'credentials'>

/** The faults that an operation may answer because of its kind, which it does not declare itself. */
export function derivedFaults(operation: Kind): readonly FaultName[] {
  return [
    ...EVERYWHERE,
    ...OF_CREDENTIALS[operation.credentials],
    ...(takesParameters(operation) ? OF_PARAMETERS : []),
    ...(operation.method === 'GET' ? [] : OF_WRITES),
  ]
}

/** Every fault that an operation may answer: those of its kind, and those that it declares. */
export function faultsOf(operation: Kind & Pick<Operation, 'faults'>): readonly FaultName[] {
  return [...new Set([...derivedFaults(operation), ...operation.faults])]
}
