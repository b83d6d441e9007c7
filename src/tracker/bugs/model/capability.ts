import type * as z from 'zod'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Person } from '../../../platform/access/caller.ts'
import type { RowsOf, readBatch } from '../../../platform/db/read-batch.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { HistoryOrigin } from '../../history/record.ts'
import type { BugDecision, Outcome } from './decision.ts'
import type { PeopleByLogin } from './field-values.ts'

/** Parameters of the API with what they accept. */
export type InputShape = Readonly<Record<string, z.ZodType>>

/** Selects for one round trip by names that are unique among all capabilities. */
export type Reads = Parameters<typeof readBatch>[1]

/** The parameters that capabilities look at although another one owns them. */
type SharedInput = {
  readonly product?: string | null | undefined
  readonly component?: string | null | undefined
  readonly comment?: CommentInput | undefined
  readonly work_time?: unknown
  readonly remaining_time?: unknown
}

/** The comment of an update: its text stands under one of two names. */
export type CommentInput = {
  readonly body?: string | null | undefined
  readonly comment?: string | null | undefined
  readonly is_private?: boolean | undefined
  readonly is_markdown?: boolean | undefined
}

/** What parameters of this shape are once they are parsed. */
export type ParsedInput<Shape extends InputShape> = z.output<z.ZodObject<Shape>>

export type KnownOf<Loaded> = { readonly [Name in keyof Loaded]: RowsOf<Loaded[Name]> }

/** The caller, and the service that serves the request. */
export type RequestSite = {
  readonly person: Person
  readonly settings: Settings
  readonly baseUrl: string
}

/** Values by name: all parameters, or all rows that were read. */
export type NamedValues = Readonly<Record<string, unknown>>

/** One request to change bugs, with everything that was read for it. */
export type ChangeRequest<Input = NamedValues, Known = NamedValues> = RequestSite & {
  readonly input: Input
  readonly known: Known
  readonly people: PeopleByLogin
  readonly bugCount: number
  /** For history rows of this request. */
  readonly recording: HistoryOrigin
  /** Unix seconds. */
  readonly now: number
}

/** A change that needs a right: of which field, and to what in the form of history. */
export type Claim = { readonly field: string; readonly added: string }

/** A capability, by the types of its own parameters and reads. */
type CapabilityOf<Shape, Input, Loaded, Known> = {
  /** The parameters that belong to this capability, with what they accept. */
  readonly input: Shape
  /** Whether a parameter of others requests this capability as well, for what follows from it. */
  isRequestedBy?(parameter: string): boolean
  /** The logins that the input names; they are looked up in one select for all capabilities. */
  logins?(input: Input): readonly (string | null | undefined)[]
  /** Selects what the decision needs; undefined for a select that this input can do without. */
  load?(site: RequestSite & { readonly bugs: BugSet }, input: Input): Loaded
  /** Throws a fault that depends on the input and the number of bugs alone. */
  assertInput?(request: ChangeRequest<Input, Known>): void
  /**
   * Step 1, for each bug: adds new values to a decision. Throws the faults of values; rights to the
   * changes are checked behind this step, for all capabilities at once.
   */
  proposeChanges?(decision: BugDecision, request: ChangeRequest<Input, Known>): Partial<BugDecision>
  /** The changes that need a right; without this, all those of the capability's own parameters. */
  claims?(decision: BugDecision, request: ChangeRequest<Input, Known>): readonly Claim[]
  /** Step 2, for each bug behind its step 1: decides what has its own rules of who may do what. */
  decideBug?(decision: BugDecision, request: ChangeRequest<Input, Known>): Partial<BugDecision>
  /** Step 3, once every bug has had step 2: decides what concerns all bugs together, and what is written. */
  decideAll?(decisions: readonly BugDecision[], request: ChangeRequest<Input, Known>): Outcome
  /** Fields of history that the answer to this person leaves out. */
  unansweredFields?(person: Person): readonly string[]
}

/**
 * One thing that Update Bug can do: its parameters, what it reads, what it decides and what it writes.
 * The verb walks a table of these; a capability knows nothing of the others but what `BugDecision` holds.
 */
export type Capability = CapabilityOf<InputShape, NamedValues, Reads, NamedValues>

/**
 * Checks a capability against the types of its own parameters and reads, and forgets them for the table.
 * Safe because `change/decide.ts` passes every capability the input that its shape parsed and the rows that its
 * selects returned, among those of all others.
 */
export function capability<Shape extends InputShape, Loaded extends Reads = Record<never, never>>(
  own: CapabilityOf<Shape, ParsedInput<Shape> & SharedInput, Loaded, KnownOf<Loaded>>,
): Capability {
  return own
}

/** Whether a request has a parameter for the capability. Nothing of one that is not requested runs. */
export function isRequested({ input, isRequestedBy }: Capability, given: NamedValues): boolean {
  return Object.entries(given).some(
    ([name, value]) =>
      value !== undefined && (Object.hasOwn(input, name) || isRequestedBy?.(name) === true),
  )
}

/** Merges parameters or reads of all capabilities; throws an error when two have one name. */
export function mergeUnique<Value>(
  parts: readonly Readonly<Record<string, Value>>[],
): Record<string, Value> {
  const merged: Record<string, Value> = {}
  for (const part of parts) {
    for (const [name, value] of Object.entries(part)) {
      if (Object.hasOwn(merged, name)) {
        throw new Error(`Two capabilities use the name '${name}'`)
      }
      merged[name] = value
    }
  }
  return merged
}
