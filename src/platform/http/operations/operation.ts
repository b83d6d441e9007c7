import type * as z from 'zod'
import type { Ctx } from '../../context.ts'
import type { AnyFault } from '../../faults/fault.ts'
import type { PagedAnswer } from '../response/paged-answer.ts'
import type { Requirement } from './requires.ts'

/**
 * What an API key must allow for an operation: to read, to write, or either of them in all products, because what it
 * shows or changes belongs to none.
 */
export type NeededScope = 'read' | 'write' | 'read-all-products' | 'write-all-products'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** `bugs.md#change-bugs` */
export type Reference = `${string}.md#${string}`

/** Which credentials an operation verifies; it ignores all others, even expired or wrong ones. */
export type AcceptedCredentials = 'all' | 'password' | 'ignored'

/** An operation and everything that the router, the validation and the API description need of it. */
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
  /** Names that the catch-all of the input takes, for the API description. */
  readonly catchallNames: readonly string[]
  readonly output: z.ZodType
  readonly status: 200 | 201
  /** The faults that it may answer beside those that `derivedFaults` adds. */
  readonly faults: readonly AnyFault[]
  readonly credentials: AcceptedCredentials
  readonly requires: Requirement
  readonly scope: NeededScope
  /** Whether it takes no parameters and always answers everybody the same. */
  readonly isConstant: boolean
  /** Whether an answer is of no use later, such as the time. */
  readonly isVolatile: boolean
  /** Whether the answer is a page of a list whose headers link to the next one, or count the items too. */
  readonly pages: 'none' | 'linked' | 'counted'
  /** The parameters of a write that count in its query alone. */
  readonly inQuery: readonly string[]
  readonly upload?: UploadedMember
  /**
   * Whether the body is an event that its sender has signed. The verb finds the request in `ctx.signedRequest`, unread;
   * nothing of it is merged or validated ahead.
   */
  readonly isSigned: boolean
  run(ctx: Ctx, input: Record<string, unknown>): Promise<unknown>
}

/** A body member that holds base64 and may be large; it becomes `ctx.upload`. */
export type UploadedMember = {
  readonly name: string
  /** Throws what refuses the upload whatever its body holds, by the parameters in the path. */
  admit(ctx: Ctx, path: Readonly<Record<string, string>>): Promise<void>
}

type OperationDescription<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Granted extends Ctx,
> = {
  method: Method
  path: string
  summary: string
  reference: Reference
  input: Input
  catchallNames?: readonly string[]
  output: Output
  faults: readonly AnyFault[]
  requires: Requirement<Granted>
  scope: NeededScope
  status?: 200 | 201
  credentials?: AcceptedCredentials
  isConstant?: boolean
  isVolatile?: boolean
  pages?: Operation['pages']
  inQuery?: Operation['inQuery']
  upload?: UploadedMember
  isSigned?: boolean
}

/** What a verb answers: the body, the body as a page of a list, or a response that is sent as it is made. */
type Answer<Body> = Body | Response | PagedAnswer<Body | Response>

/** An operation whose input and answer are known to the compiler. */
export type TypedOperation<Input, Result> = Omit<Operation, 'run'> & {
  run(ctx: Ctx, input: Input): Promise<Result>
}

/**
 * Describes an operation beside the verb that serves it. Routes are mounted from these descriptions alone, so what
 * is not described does not exist. The verb gets the context that `requires` grants.
 */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Granted extends Ctx,
  Result extends Answer<z.input<Output>>,
>(
  description: OperationDescription<Input, Output, Granted>,
  verb: (ctx: Granted, input: z.output<Input>) => Promise<Result>,
): TypedOperation<z.output<Input>, Result> {
  const { requires } = description
  return {
    status: 200,
    catchallNames: [],
    credentials: 'all',
    isConstant: false,
    isSigned: false,
    isVolatile: false,
    pages: 'none',
    inQuery: [],
    ...description,
    run: async (ctx: Ctx, input: z.output<Input>) => verb(requires.grant(ctx, input), input),
  }
}

export function alsoAt<Also extends Operation>(
  first: Also,
  other: Pick<Operation, 'path' | 'summary'> &
    Partial<Pick<Operation, 'method' | 'input' | 'faults'>>,
): Also {
  return { ...first, ...other }
}

/** Whether caches may keep what an operation answers to callers without credentials. */
export function isPublicRead({
  method,
  credentials,
  requires,
  isVolatile,
}: Pick<Operation, 'method' | 'credentials' | 'requires' | 'isVolatile'>): boolean {
  return method === 'GET' && credentials === 'all' && !requires.login && !isVolatile
}

/** The names of the parameters in a path pattern. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)
}

export function takesParameters({ path, input }: Pick<Operation, 'path' | 'input'>): boolean {
  const isEmpty = Object.keys(input.shape).length === 0 && input.def.catchall === undefined
  return !isEmpty || pathParameters(path).length > 0
}
