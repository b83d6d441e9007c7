import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Statement } from '../../../platform/db/commit.ts'
import { components } from '../../../platform/db/schema/components.ts'
import type { CurrentBug, DefaultPeople } from './current-bug.ts'
import type { FieldChange } from './history-fields.ts'
import type { Standing } from './standing.ts'

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
 * An edit of lists of bugs. Edits commute: insert if absent, delete if present, and what really changes
 * is found out inside the commit, so that many people may edit one list at once and none has to decide
 * again.
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
  /** The reporter of the duplicate, who goes on the CC list of the original; null for nobody. */
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

/** What is decided about a bug before any capability has looked at it. */
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
