import {
  apiKeyFaults,
  loginRequired,
  notAuthorized,
  passwordFaults,
  throttled,
  tokenInvalid,
} from '../../access/faults.ts'
import { busy } from '../../db/faults.ts'
import {
  type AnyFault,
  dateInvalid,
  notACount,
  notAnInteger,
  parameterInvalid,
  parameterMissing,
} from '../../faults/fault.ts'
import { badJson, bodyIncomplete, bodyTooLarge, uploadsBusy } from '../request/faults.ts'
import {
  badCallback,
  requestUnfinished,
  serviceBusy,
  storageUnavailable,
  unforeseen,
} from '../response/faults.ts'
import { answerLost, idempotencyKeyTaken, keyMayNotAdminister } from './faults.ts'
import { scopeFaults } from './guard-verb.ts'
import type { AcceptedCredentials, Operation } from './operation.ts'
import { takesParameters } from './operation.ts'

const COMMON_FAULTS: readonly AnyFault[] = [
  badCallback,
  throttled,
  serviceBusy,
  storageUnavailable,
  unforeseen,
]

const PARAMETER_FAULTS: readonly AnyFault[] = [
  parameterMissing,
  parameterInvalid,
  notAnInteger,
  notACount,
  dateInvalid,
]

/** A write parses a body, and may conflict with other writes. */
const WRITE_FAULTS: readonly AnyFault[] = [badJson, bodyTooLarge, bodyIncomplete, uploadsBusy, busy]

const IDEMPOTENCY_FAULTS: readonly AnyFault[] = [idempotencyKeyTaken, requestUnfinished, answerLost]

/** `REQUIRE_LOGIN` demands a login at every operation that accepts all credentials. */
const CREDENTIAL_FAULTS: Readonly<Record<AcceptedCredentials, readonly AnyFault[]>> = {
  all: [...passwordFaults, ...apiKeyFaults, tokenInvalid, loginRequired],
  password: passwordFaults,
  ignored: [],
}

type OperationKind = Pick<
  Operation,
  'method' | 'path' | 'input' | 'credentials' | 'requires' | 'scope'
>

/** The faults that follow from the kind of an operation, so that it need not declare them. */
export function derivedFaults(operation: OperationKind): readonly AnyFault[] {
  return [
    ...COMMON_FAULTS,
    ...CREDENTIAL_FAULTS[operation.credentials],
    ...(operation.credentials === 'all' ? scopeFaults(operation.scope) : []),
    ...(takesParameters(operation) ? PARAMETER_FAULTS : []),
    ...(operation.method === 'GET' ? [] : WRITE_FAULTS),
    ...(operation.method === 'POST' ? IDEMPOTENCY_FAULTS : []),
    ...(operation.requires.isRight ? [notAuthorized] : []),
  ]
}

/** Every fault that an operation may answer: derived and declared. */
export function faultsOf(
  operation: OperationKind & Pick<Operation, 'faults'>,
): readonly AnyFault[] {
  const all = [...derivedFaults(operation), ...operation.faults]
  return [...new Set(all.includes(notAuthorized) ? [...all, keyMayNotAdminister] : all)]
}
