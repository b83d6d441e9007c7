import type { SQL } from 'drizzle-orm'
import { type Caller, type ViewerRights, viewerRights } from '../../../platform/access/caller.ts'
import { PLACEHOLDER, preparedFragments } from '../../../platform/db/prepared-fragment.ts'
import type { ExpressionSelect } from '../../../platform/db/read-batch.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import { type BugColumn, type BugRow, bugColumns } from './columns.ts'
import { admittedOf, BOUNDS_OF_STATEMENT, filledCondition } from './list-bounds.ts'
import { joinsFor } from './names.ts'

/**
 * A select of these columns of the bugs that `rest`, a `WHERE …`, names. Everything about a bug is read in
 * one statement, which names only the wanted columns. `bots` are folded logins. All callers with the same
 * rights share its text of up to 10 KB, since building that took longer than a short search.
 */
export function selectBugs(
  caller: Caller,
  names: readonly BugColumn[],
  bots: readonly string[],
  rest: SQL,
): ExpressionSelect<BugRow> {
  const head = shownColumns(caller, names, bots)
  return { statement: sql`${head} FROM bugs ${joinsFor(names)} ${rest}`, decoded: [] }
}

/**
 * The same of several bugs, in the order of `rest`. Fails with `RowsTooLong` ahead of those whose lists would
 * be too long for one statement.
 */
export function selectSeveralBugs(
  ...[caller, names, bots, rest]: Parameters<typeof selectBugs>
): ExpressionSelect<BugRow> {
  const admitted = admittedOf(caller, names, rest, BOUNDS_OF_STATEMENT)
  if (admitted === null) {
    return selectBugs(caller, names, bots, rest)
  }
  const head = shownColumns(caller, names, bots, true)
  const statement = sql`${head} FROM (${admitted}) AS admitted
    CROSS JOIN bugs ON ${bugs.id} = admitted.id ${joinsFor(names)}`
  return { statement, decoded: [] }
}

/** `isCounted` says that `admitted` tells which lists are empty: nothing is looked for there. */
function shownColumns(
  caller: Caller,
  names: readonly BugColumn[],
  bots: readonly string[],
  isCounted = false,
): SQL {
  const viewer = viewerRights(caller)
  const isForAll = bots.length === 0 || !names.includes('changedByPeopleAt')
  return isForAll
    ? cachedHead({ ...viewer, id: PLACEHOLDER, names, isCounted }, viewer.id)
    : headOf({ ...viewer, names, isCounted }, bots)
}

/** Callers choose columns as they like, but most of them alike. */
const MAX_HEADS = 200

/** All that a shared head depends on; its viewer has `PLACEHOLDER` as ID. */
type HeadKey = ViewerRights & {
  readonly names: readonly BugColumn[]
  readonly isCounted: boolean
}

const cachedHead = preparedFragments((key: HeadKey) => headOf(key, []), MAX_HEADS)

function headOf({ names, isCounted, ...viewer }: HeadKey, bots: readonly string[]): SQL {
  const all = bugColumns(viewer, bots)
  const columns = names.map((name) => {
    const isFilled = isCounted ? filledCondition(name) : null
    const shown = isFilled ? sql`CASE WHEN ${isFilled} THEN ${all[name]} END` : all[name]
    return sql`${shown} AS ${sql.raw(`"${name}"`)}`
  })
  return sql`SELECT ${sql.join(columns, sql`, `)}`
}
