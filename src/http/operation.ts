import type * as z from 'zod'
import type { Ctx } from '../context.ts'
import type { FaultName } from '../faults.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `bugs.md#change-bugs` */
export type Reference = `${string}.md#${string}`

/** Which credentials an operation looks at; the others may be stale or wrong without harm. */
export type AcceptedCredentials = 'all' | 'password' | 'ignored'

/** An operation as it describes itself: what the router, the validator and the API description read. */
export type Operation = {
  readonly method: Method
  /** Below /rest, with `:name` for a path parameter and `:name{.+}` for one that may hold slashes. */
  readonly path: string
  /** One line: what a caller gets. */
  readonly summary: string
  /** The page of docs/reference/ that describes it, and the anchor of the heading there. */
  readonly reference: Reference
  /** Path parameters, query and body together; a path parameter always comes from the path. */
  readonly input: z.ZodObject
  readonly output: z.ZodType
  readonly status: 200 | 201
  /** How it refuses; what follows from its kind (credentials, parameters, a body) goes without saying. */
  readonly faults: readonly FaultName[]
  readonly credentials: AcceptedCredentials
  /** Anonymous callers get 410 before anything else is looked at. */
  readonly login: boolean
  /** It takes nothing, and says the same to everybody at any time. */
  readonly isConstant: boolean
  /** A member of the body that holds base64 and may be large; the verb finds it as `upload` in its context. */
  readonly upload?: string
  run(ctx: Ctx, input: Record<string, unknown>): Promise<unknown>
}

type Described<Input extends z.ZodObject, Output extends z.ZodType> = {
  method: Method
  path: string
  summary: string
  reference: Reference
  input: Input
  output: Output
  faults: readonly FaultName[]
  status?: 200 | 201
  credentials?: AcceptedCredentials
  login?: boolean
  isConstant?: boolean
  upload?: string
}

/**
 * Describes an operation and names the verb that serves it. Routes are mounted from these descriptions
 * and from nothing else, so an operation that does not describe itself does not exist.
 */
export function operation<Input extends z.ZodObject, Output extends z.ZodType>(
  described: Described<Input, Output>,
  verb: (ctx: Ctx, input: z.output<Input>) => Promise<z.input<Output> | Response>,
): Operation {
  return {
    status: 200,
    credentials: 'all',
    login: false,
    isConstant: false,
    ...described,
    run: (ctx, input) => verb(ctx, input as z.output<Input>),
  }
}

/** The names of the parameters in a path pattern. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
}

/** Whether an operation looks at any parameter, in its path or elsewhere. */
export function takesParameters({ path, input }: Pick<Operation, 'path' | 'input'>): boolean {
  const isEmpty = Object.keys(input.shape).length === 0 && input.def.catchall === undefined
  return !isEmpty || pathParameters(path).length > 0
}
