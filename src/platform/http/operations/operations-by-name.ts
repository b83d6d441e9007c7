import type { Operation } from './operation.ts'

/** An operation of the REST API by its method and path, such as `GET /bug/:id_or_alias`. */
export type OperationName = `${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`

/** The operations of the REST API by method and path. */
export type OperationsByName = ReadonlyMap<string, Operation>

/** Sorts operations by the names that other protocols call them by. */
export function indexOperations(operations: readonly Operation[]): OperationsByName {
  return new Map(
    operations.map((one) => [`${one.method} ${one.path.replace(/\{[^}]*\}/g, '')}`, one]),
  )
}
