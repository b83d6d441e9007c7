import type { SQL } from 'drizzle-orm'
import { selectExpressions } from '../db/read-batch.ts'
import { bugs } from '../db/schema/bugs.ts'
import { aliasColumns, allOf, jsonRows, limitTo, sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { Caller } from './caller.ts'
import { visibleBugCondition } from './visibility.ts'

const b = aliasColumns(bugs, 'b')

declare const reached: unique symbol

/**
 * Bugs that a caller may read, as a condition on the table `bugs`. Only this file makes one, so a
 * statement that takes a BugSet cannot forget the check.
 */
export type BugSet = { readonly condition: SQL; readonly [reached]: true }

/** How somebody named a bug, as it was given, and what that is: a number or a folded alias. */
export type BugRef = { readonly given: string; readonly id: number | null; readonly alias: string }

/** Where a page begins and ends, in which order. */
export type Page = {
  /** The tables of the page, `bugs` among them; `bugs` alone when absent. */
  readonly from?: SQL
  readonly order: readonly SQL[]
  readonly limit: number
  readonly offset: number
}

const LARGEST_ID = 2 ** 31 - 1

/** The bugs that meet all conditions and that the caller sees; the others are silently left out. */
export function bugsWhere(caller: Caller, conditions: readonly SQL[]): BugSet {
  return brand(sql`(${allOf(conditions)}) AND ${visibleBugCondition(caller)}`)
}

/** One page of a set in some order: cut by ID before anything else of the bugs is read. */
export function bugsOnPage(set: BugSet, page: Page): BugSet {
  return brand(sql`${bugs.id} IN (SELECT ${bugs.id} FROM ${page.from ?? sql`bugs`} WHERE ${set.condition}
    ORDER BY ${sql.join([...page.order], sql`, `)} ${limitTo(page.limit)} OFFSET ${page.offset})`)
}

/** The bugs named by `refs` that the caller sees. `resolveBugs` finds out about the others. */
export function bugsNamed(caller: Caller, refs: readonly BugRef[]): BugSet {
  return brand(sql`${bugs.id} IN (${idsOf(refs)}) AND ${visibleBugCondition(caller)}`)
}

/** The bugs with these IDs that the caller sees. */
export function bugsById(caller: Caller, ids: readonly number[]): BugSet {
  const list = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  return brand(sql`${bugs.id} IN ${list} AND ${visibleBugCondition(caller)}`)
}

/**
 * Reads what became of each reference, in the batch of the statements over `bugsNamed`. Every read and
 * write of bugs carries it, and drizzle cannot select from JSON as fast as this is written out.
 */
export function resolveBugs(caller: Caller, refs: readonly BugRef[]) {
  return selectExpressions<Resolved>(
    {
      place: sql`r.key`,
      id: sql`${bugs.id}`,
      isVisible: sql`coalesce(${visibleBugCondition(caller)}, 0)`,
    },
    sql`FROM ${jsonRows(refs)} LEFT JOIN bugs ON ${bugs.id} = coalesce(r.value ->> 'id',
      (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias'))`,
  )
}

export type Resolved = { place: number; id: number | null; isVisible: number }

/**
 * Sorts references into the IDs that may be read, in the order given and each once, and the faults of
 * the others: 100 for what is no ID and no alias, 101 for a number nobody has, 102 for a bug that the
 * caller may not see. Contract "Errors", Get Bug.
 */
export function reachable(
  caller: Caller,
  refs: readonly BugRef[],
  resolved: readonly Resolved[],
): { ids: number[]; faults: { given: string; fault: Fault }[] } {
  const ids = new Set<number>()
  const faults: { given: string; fault: Fault }[] = []
  const byPlace = new Map(resolved.map((row) => [row.place, row]))
  refs.forEach((ref, place) => {
    const row = byPlace.get(place)
    if (row === undefined || row.id === null) {
      faults.push({ given: ref.given, fault: unknown(ref) })
    } else if (row.isVisible !== 1) {
      const anonymous = caller.kind === 'anonymous'
      faults.push({
        given: ref.given,
        fault: fault('bugNotVisible', { given: ref.given, anonymous }),
      })
    } else {
      ids.add(row.id)
    }
  })
  return { ids: [...ids], faults }
}

/** Like `reachable`, where the first reference that cannot be read refuses the whole call. */
export function allReachable(
  caller: Caller,
  refs: readonly BugRef[],
  resolved: readonly Resolved[],
): number[] {
  const { ids, faults } = reachable(caller, refs, resolved)
  const [first] = faults
  if (first !== undefined) {
    throw first.fault
  }
  return ids
}

/** Bugs that one request may write to: each brings notices, mails and history along. */
const MOST_WRITTEN = 500

/** Like `bugRefs`, for a write; fault 53 for too many. */
export function bugRefsToWrite(inPath: string, ids?: readonly string[]): BugRef[] {
  const refs = bugRefs(inPath, ids)
  if (refs.length > MOST_WRITTEN) {
    throw fault('parameterInvalid', {
      field: 'ids',
      reason: `may name at most ${MOST_WRITTEN} bugs at once`,
    })
  }
  return refs
}

/**
 * Reads references as they come in a path and in `ids`, those that are spelled alike once; an element may
 * hold several behind commas.
 */
export function bugRefs(inPath: string, ids: readonly string[] = []): BugRef[] {
  const more = ids.flatMap((element) => element.split(',')).filter((name) => name.trim() !== '')
  return [...new Set([inPath, ...more])].map(bugRef)
}

/**
 * Reads a reference: digits (perhaps behind `#`) are an ID, anything else an alias. Zero is no ID, and
 * one beyond 2^31 - 1 is one that nobody has.
 */
export function bugRef(given: string): BugRef {
  const name = given.trim().replace(/^#(?=\d+$)/, '')
  const isNumber = /^\d+$/.test(name) && !/^0+$/.test(name)
  return {
    given,
    id: isNumber ? Math.min(Number(name), LARGEST_ID + 1) : null,
    alias: isNumber ? '' : fold(name),
  }
}

function unknown(ref: BugRef): Fault {
  return ref.id === null
    ? fault('bugAliasUnknown', { given: ref.given })
    : fault('bugIdUnknown', { id: ref.given })
}

function idsOf(refs: readonly BugRef[]): SQL {
  return sql`SELECT coalesce(r.value ->> 'id',
    (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias')) FROM ${jsonRows(refs)}`
}

/** The one place where a condition becomes a BugSet; the visibility check is part of each caller above. */
function brand(condition: SQL): BugSet {
  return { condition } as BugSet
}
