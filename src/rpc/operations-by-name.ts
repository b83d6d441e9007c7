import type { Operation } from '../http/operation.ts'

/** The operations of the REST API by method and path. */
export type OperationsByName = ReadonlyMap<string, Operation>

/** Sorts operations by the names that methods call them by. */
export function indexOperations(operations: readonly Operation[]): OperationsByName {
  return new Map(
    operations.map((one) => [`${one.method} ${one.path.replace(/\{[^}]*\}/g, '')}`, one]),
  )
}
