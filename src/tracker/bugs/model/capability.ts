import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type * as z from 'zod'
import type { BugSet } from '../../../platform/access/bug-set.ts'
import type { Person } from '../../../platform/access/caller.ts'
import type { Statement } from '../../../platform/db/commit.ts'
import type { RowsOf, readBatch } from '../../../platform/db/read-batch.ts'
import type { bugs } from '../../../platform/db/schema/bugs.ts'
import { components } from '../../../platform/db/schema/products.ts'
import type { Settings } from '../../../platform/settings/settings.ts'
import type { HistoryOrigin } from '../../history/record.ts'
import type { CurrentBug, DefaultPeople } from './current-bug.ts'
import type { PeopleByLogin } from './field-values.ts'
import type { GroupControl } from './group-controls.ts'
import type { FieldChange } from './history-fields.ts'
import type { Standing } from './standing.ts'

/** Parameters of the API with what they accept. */
type InputShape = Readonly<Record<string, z.ZodType>>

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
type ParsedInput<Shape extends InputShape> = z.output<z.ZodObject<Shape>>

type KnownOf<Loaded> = { readonly [Name in keyof Loaded]: RowsOf<Loaded[Name]> }

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
type Claim = { readonly field: string; readonly added: string }

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
  /** Step 3, after step 2 of every bug: decides for all bugs together, and what is written. */
  decideAll?(decisions: readonly BugDecision[], request: ChangeRequest<Input, Known>): Outcome
  /** Fields of history that the answer to this person leaves out. */
  unansweredFields?(person: Person): readonly string[]
}

/**
 * One thing that Update Bug can do: its parameters, what it reads, decides and writes. It knows other
 * capabilities only through `BugDecision`.
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

/** The version of a row that a decision depends on: the number that was read from one of its columns. */
export type ReadVersion = {
  readonly table: SQLiteTable & { readonly id: SQLiteColumn }
  readonly id: number
  readonly column: SQLiteColumn
  readonly number: number
}

/** A table whose rows count their changes. */
export type VersionedTable = ReadVersion['table'] & { readonly revision: SQLiteColumn }

/** The version of a row that any change of the row ends. */
export function readVersionOf(
  table: VersionedTable,
  { id, revision }: { readonly id: number; readonly revision: number },
): ReadVersion {
  return { table, id, column: table.revision, number: revision }
}

/** What to add to a list of one bug, and what to remove from it: no item stands in both. */
export type Edit<Item = number> = {
  readonly bugId: number
  readonly add: readonly Item[]
  readonly remove: readonly Item[]
}

/**
 * An edit of lists of bugs. Edits commute: insert if absent, delete if present. The commit finds out what
 * really changed, so many people may edit one list at once without a conflict.
 */
export type ListEdit = {
  /**
   * What really changes, item by item, as selects of `bug_id`, `field`, `is_added`, `name`, `name_fold`
   * and `place`: one for each field whose history it is.
   */
  readonly changed: readonly SQL[]
  /** What makes the change, behind the history of all edits. */
  readonly statements: readonly Statement[]
}

/** Where a bug is to be, which is where it is unless the request moves it. */
export type Placement = {
  /** Whether the bug goes to another product. */
  readonly isMove: boolean
  readonly product: {
    readonly id: number
    readonly name: string
    readonly hasUnconfirmed: boolean
    readonly revision: number
  }
  /** The people whom the component gives its bugs to. */
  readonly defaultPeople: DefaultPeople
  readonly component: ReadVersion
  /** The people whom a new component puts on the CC list. */
  readonly componentCc: readonly number[]
}

/** A bug that becomes a duplicate of another. */
export type NewDuplicate = {
  readonly bugId: number
  readonly originalId: number
  /** The reporter of the duplicate, who joins the CC list of the original; null for none. */
  readonly ccId: number | null
}

/**
 * What has been decided about one bug so far. Each capability sees what those ahead of it in the table
 * decided, and nothing else of them.
 */
export type BugDecision = {
  readonly bug: CurrentBug
  /** What the caller is to the bug before the request. */
  readonly standing: Standing
  /** Decided by the capability `productMove`. */
  readonly placement: Placement
  /** Values that differ from those of the bug, in the order of history. */
  readonly changes: readonly FieldChange[]
  /** Decided by `status`. */
  readonly duplicate: NewDuplicate | null
  /** How the remaining hours change beside `changes`: closing ends them, work lowers them in the commit. */
  readonly remaining: 'ends' | 'falls' | 'stays'
  /** Null while the request leaves the groups alone. */
  readonly groups: Edit | null
  /** Null while the request leaves the CC list alone; `flags` adds requestees. */
  readonly cc: Edit | null
  /** Rows that have to be as they were read; each column that changes is guarded by itself. */
  readonly preconditions: readonly ReadVersion[]
}

/** Parts of the commit that capabilities fill by themselves; the commit fixes their order. */
export type PartName =
  | 'loopGuards'
  | 'lostDuplicates'
  | 'comments'
  | 'workHistory'
  | 'remainingHours'
  | 'flags'
  | 'commentPrivacy'
  | 'originalHistory'
  | 'originalComments'

/** What one capability decided about all bugs of a request. */
export type Outcome = {
  /** The decisions with what this capability adds to them for those behind it. */
  readonly decisions?: readonly BugDecision[]
  readonly edits?: readonly ListEdit[]
  /** The bugs whose lists change by the right of the caller's standing, which has to last. */
  readonly editedBugs?: readonly number[]
  /** Bugs that change beside those with changed values or lists: their IDs, or a select of `bug_id`. */
  readonly touchedBugs?: readonly number[]
  readonly touchedSelect?: SQL
  readonly parts?: Readonly<Partial<Record<PartName, readonly Statement[]>>>
  /** Given parameters that name nothing, or that others overrule. */
  readonly unused?: readonly string[]
  /** Fields of bugs whose old values the answer keeps from the caller. */
  readonly hiddenValues?: readonly { readonly bugId: number; readonly field: string }[]
}

/** Adds new values to a decision; values that the bug has already are no change. */
export function addChanges(
  { bug, changes }: BugDecision,
  values: readonly FieldChange[],
): Pick<BugDecision, 'changes'> {
  const differing = values.filter(({ field, added }) => added !== bug.historyValues[field])
  return { changes: [...changes, ...differing] }
}

/** The decision before the first capability. */
export function undecided(bug: CurrentBug, standing: Standing): BugDecision {
  return {
    bug,
    standing,
    placement: currentPlacement(bug),
    changes: [],
    duplicate: null,
    remaining: 'stays',
    groups: null,
    cc: null,
    preconditions: [],
  }
}

/** The placement of a bug that stays where it is. */
export function currentPlacement(bug: CurrentBug): Placement {
  const { id, revision, people } = bug.component
  return {
    isMove: false,
    product: currentProduct(bug),
    defaultPeople: people,
    component: readVersionOf(components, { id, revision }),
    componentCc: [],
  }
}

export function currentProduct(bug: CurrentBug): Placement['product'] {
  const { productId, product, hasUnconfirmed, productRevision } = bug
  return { id: productId, name: product, hasUnconfirmed, revision: productRevision }
}

/** A new bug before its lists are decided. */
export type NewBugDraft = {
  readonly product: { readonly name: string; readonly classificationId: number }
  readonly controls: readonly GroupControl[]
  /** The people whom the component puts on the CC list. */
  readonly componentCc: readonly number[]
  /** Whether the caller may edit any bug of the product. */
  readonly editBugs: boolean
  readonly row: typeof bugs.$inferInsert
}

/** One request to file a bug, with everything that was read for it. */
export type FilingRequest<Input = NamedValues, Known = NamedValues> = RequestSite & {
  readonly input: Input
  readonly known: Known
  readonly people: PeopleByLogin
  readonly draft: NewBugDraft
}

/** What a new bug begins with by the decision of one capability. */
type NewBugLists = {
  readonly groupIds?: readonly number[]
  readonly ccIds?: readonly number[]
  readonly keywordIds?: readonly number[]
  /** Lists that mean something for other bugs too, and custom fields. */
  readonly edits?: readonly ListEdit[]
}

type FilingCapabilityOf<Shape, Input, Loaded, Known> = {
  /** The parameters of Create Bug that belong to this capability, with what they accept. */
  readonly input: Shape
  /** The logins that the input names; they are looked up in one select for all capabilities. */
  logins?(input: Input): readonly string[]
  /** Selects what the decision needs. */
  load?(site: RequestSite, input: Input): Loaded
  /** Decides what the new bug begins with. Pure. */
  decide(request: FilingRequest<Input, Known>): NewBugLists
}

/** One list, or kind of field, that a bug can be filed with: a row in the table of Create Bug. */
export type FilingCapability = FilingCapabilityOf<InputShape, NamedValues, Reads, NamedValues>

/** Checks a capability against its own types and forgets them, as `capability` does for Update Bug. */
export function filingCapability<
  Shape extends InputShape,
  Loaded extends Reads = Record<never, never>,
>(own: FilingCapabilityOf<Shape, ParsedInput<Shape>, Loaded, KnownOf<Loaded>>): FilingCapability {
  return own
}
