import type * as z from 'zod'
import { assertLoggedIn, assertRole } from '../../access/caller.ts'
import type { Role } from '../../access/roles.ts'
import type { Ctx, PersonCtx } from '../../context.ts'
import { retryOnConflict } from '../../db/commit.ts'
import type { AnyFault } from '../../faults/fault.ts'
import type { Parameters } from '../request/app-env.ts'
import type { PagedAnswer } from '../response/paged-answer.ts'

/**
 * What an API key must allow: reading or writing; in all products where an operation belongs to none of them.
 */
export type NeededScope = 'read' | 'write' | 'read-all-products' | 'write-all-products'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

type MediaType = 'application/json' | 'application/x-ndjson' | 'application/octet-stream'

/** `bugs.md#change-bugs` */
type Reference = `${string}.md#${string}`

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
  /** Whether the catch-all of the input has a use for a parameter. */
  readonly usesOther: (name: string) => boolean
  readonly output: z.ZodType
  readonly status: 200 | 201 | 202
  /** Where `GET` reads what it makes, such as `/bug/:id`, from members of its answer, or else its parameters. */
  readonly makes?: string
  /** The faults that it may answer beside those that `derivedFaults` adds. */
  readonly faults: readonly AnyFault[]
  readonly credentials: AcceptedCredentials
  readonly requires: Requirement
  readonly scope: NeededScope
  /** Whether clients should turn to another one. */
  readonly isDeprecated?: boolean
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
   * Whether the body is an event that its sender has signed. The verb finds the request in `ctx.rawRequest`, unread;
   * nothing of it is merged or validated ahead.
   */
  readonly isSigned: boolean
  /** The form of a body that the verb reads from `ctx.rawRequest`; all parameters are then in path and query. */
  readonly rawBody: Exclude<MediaType, 'application/json'> | null
  /** The form of the answer. */
  readonly mediaType: MediaType
  run(ctx: Ctx, input: Record<string, unknown>): Promise<unknown>
}

/** A body member that holds base64 and may be large; it becomes `ctx.upload`. */
export type UploadedMember = {
  readonly name: string
  /** Refuses an upload by the parameters of the path alone, before its body is read. */
  admit(ctx: Ctx, path: Readonly<Record<string, string>>): Promise<void>
}

/** What holds of an operation unless it says otherwise. */
const USUAL = {
  status: 200,
  catchallNames: [],
  usesOther: () => false,
  faults: [],
  credentials: 'all',
  isConstant: false,
  isSigned: false,
  rawBody: null,
  mediaType: 'application/json',
  isVolatile: false,
  pages: 'none',
  inQuery: [],
} as const satisfies Partial<Operation>

type OperationDescription<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Granted extends Ctx,
> = Omit<Operation, 'run' | 'input' | 'output' | 'requires' | keyof typeof USUAL> &
  Partial<Pick<Operation, keyof typeof USUAL>> & {
    input: Input
    output: Output
    requires: Requirement<Granted>
  }

/** What a verb answers: the body, the body as a page of a list, or a response that is sent as it is made. */
type Answer<Body> = Body | Response | PagedAnswer<Body | Response>

/** An operation whose input and answer are known to the compiler. */
export type TypedOperation<Input, Result, Output extends z.ZodType = z.ZodType> = Omit<
  Operation,
  'run' | 'output'
> & {
  readonly output: Output
  run(ctx: Ctx, input: Input): Promise<Result>
}

/**
 * Describes an operation beside the verb that serves it. Routes, validation and the API description are made
 * from it. The verb gets the context that `requires` grants.
 */
export function operation<
  Input extends z.ZodObject,
  Output extends z.ZodType,
  Granted extends Ctx,
  Result extends Answer<z.input<Output>>,
>(
  description: OperationDescription<Input, Output, Granted>,
  verb: (ctx: Granted, input: z.output<Input>) => Promise<Result>,
): TypedOperation<z.output<Input>, Result, Output> {
  const { requires } = description
  return {
    ...USUAL,
    ...description,
    run: async (ctx: Ctx, input: z.output<Input>) =>
      isRepeatable(description)
        ? retryOnConflict(ctx, async (again) => verb(requires.grant(again, input), input))
        : verb(requires.grant(ctx, input), input),
  }
}

/** A verb runs anew where another commit changed what its decision rests on, but a body is read once. */
function isRepeatable({ method, upload, isSigned, rawBody }: Partial<Operation>): boolean {
  return method !== 'GET' && upload === undefined && isSigned !== true && !rawBody
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

/**
 * Who may call an operation. `operation` demands it before the verb runs and before it refuses parameters, and hands
 * the verb the context that is granted, so that no verb asks again.
 */
export type Requirement<Granted extends Ctx = Ctx> = {
  /** Whether anonymous callers are refused first of all. */
  readonly login: boolean
  /** Whether it can fail for somebody who is logged in. */
  readonly isRight: boolean
  /** Throws for a caller who may not. The parameters are as sent where they have not been validated. */
  grant(ctx: Ctx, parameters: Parameters): Granted
  /** See `rightOnRows`. */
  lookUp?(ctx: PersonCtx, parameters: Parameters): Promise<unknown>
}

/** Everybody; anonymous callers too, unless the service demands a login of all. */
export const anyone: Requirement = { login: false, isRight: false, grant: (ctx) => ctx }

export const loggedIn: Requirement<PersonCtx> = {
  login: true,
  isRight: false,
  grant: (ctx) => ({ ...ctx, caller: assertLoggedIn(ctx.caller) }),
}

/** Demands a role; `action` completes "You are not authorized to …". */
export function role(name: Role, action: string): Requirement<PersonCtx> {
  return {
    login: true,
    isRight: true,
    grant: (ctx) => ({ ...ctx, caller: assertRole(ctx.caller, name, action) }),
  }
}

/**
 * A right that caller and parameters alone decide; what `find` returns is added to the context of the
 * verb.
 */
export function right<Found extends object>(
  find: (ctx: PersonCtx, parameters: Parameters) => Found,
): Requirement<PersonCtx & Found> {
  return {
    login: true,
    isRight: true,
    grant: (ctx, parameters) => {
      const granted = loggedIn.grant(ctx, parameters)
      return { ...granted, ...find(granted, parameters) }
    },
  }
}

/**
 * A right that hangs on rows, such as those of a product: the verb checks it in the transaction that reads them. It
 * is looked up ahead only where parameters are wrong, so that a caller without it learns nothing of them.
 */
export function rightOnRows(
  lookUp: (ctx: PersonCtx, parameters: Parameters) => Promise<unknown>,
): Requirement<PersonCtx> {
  return { login: true, isRight: true, grant: loggedIn.grant, lookUp }
}

/** Throws what refuses the caller ahead of the faults of parameters. */
export async function assertAdmitted(
  requires: Requirement,
  ctx: Ctx,
  parameters: Parameters,
): Promise<void> {
  const granted = requires.grant(ctx, parameters)
  await requires.lookUp?.(loggedIn.grant(granted, parameters), parameters)
}
