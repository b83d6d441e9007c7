import type { OperationName } from '../../platform/http/operations/operations-by-name.ts'
import type { Parameters } from '../../platform/http/request/app-env.ts'

/** What serves a method: an operation of the REST API, and how the two differ. */
export type RpcTarget = {
  readonly operation: OperationName
  /**
   * The parameters of the operation, those of its path among them. Throws a fault for what it cannot take.
   */
  toParameters?(given: Parameters): Parameters
  /** The result of the method, from the body of the operation's answer. */
  toResult?(body: unknown): unknown
}

export type RpcMethod = RpcTarget & {
  /** What serves a call with one of these parameters, instead. */
  readonly whenGiven?: Readonly<Record<string, RpcTarget>>
  /** What serves a call whose list `ids` is there and empty, instead. */
  readonly whenEmpty?: RpcTarget
  /** Whether `login` and `password` are credentials. Elsewhere they are data, as of a new account. */
  readonly takesLogin?: boolean
  /** Whether it changes something although its operation is a GET. */
  readonly isWrite?: boolean
}

export type RpcMethods = Readonly<Record<string, RpcMethod>>
