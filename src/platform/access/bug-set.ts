import type { SQL } from 'drizzle-orm'
import { selectOf } from '../db/read-batch.ts'
import { bugs } from '../db/schema/bugs.ts'
import { aliasColumns, allOf, jsonRows, limitTo, sortedBy, sql } from '../db/sql.ts'
import { type Fault, fault, invalidParameter } from '../faults/fault.ts'
import { fold } from '../lib/text.ts'
import type { Caller } from './caller.ts'
import { bugAliasUnknown, bugIdUnknown, bugNotVisible } from './faults.ts'
import { visibleBugCondition } from './visibility.ts'

const b = aliasColumns(bugs, 'b')

declare const bugSetBrand: unique symbol
declare const visibleIdsBrand: unique symbol

/**
 * Bugs that are visible to a caller, as a condition on the table `bugs`. Only this file makes one, so that
 * a statement that takes a BugSet always includes the visibility check.
 */
export type BugSet = {
  readonly condition: SQL
  /** A select of their IDs, in its order, where one select finds them all. */
  readonly select?: SQL
  readonly [bugSetBrand]: true
}

/** A reference to a bug: the text as the client sent it, and the ID or the folded alias in it. */
export type BugRef = { readonly given: string; readonly id: number | null; readonly alias: string }

/** A select of the IDs of bugs that are visible to a caller. */
type VisibleIds = { readonly select: SQL; readonly [visibleIdsBrand]: true }

/** Where to look for bugs, and in which order; in that of the tables when it is empty. */
export type BugSelect = {
  /** The tables to look in; `bugs` alone when absent. */
  readonly from?: SQL
  readonly condition: SQL
  readonly order: readonly SQL[]
}

/** The start and the size of a page. */
export type Page = { readonly limit: number; readonly offset: number }

const MAX_BUG_ID = 2 ** 31 - 1

/** The visible bugs that meet all conditions. */
export function bugsWhere(caller: Caller, conditions: readonly SQL[]): BugSet {
  return brand(sql`(${allOf(conditions)}) AND ${visibleBugCondition(caller)}`)
}

/** The bugs of selects of IDs, so that nothing else is read of other bugs. The selects may read from `tables`. */
export function bugsAmong(selects: readonly VisibleIds[], tables?: SQL): BugSet {
  const all = selects.map(({ select }) => sql`SELECT id FROM (${select})`)
  const select = sql.join(all, sql` UNION ALL `)
  const set = brand(
    sql`${bugs.id} IN (${tables === undefined ? select : sql`WITH ${tables} ${select}`})`,
  )
  const [only, ...others] = selects
  return only === undefined || others.length > 0 || tables !== undefined
    ? set
    : { ...set, select: only.select }
}

export function countBugsOf(set: BugSet) {
  return selectOf({ count: sql<number>`count(*)` }, sql`FROM bugs WHERE ${set.condition}`)
}

/**
 * A page of the visible bugs; none unless the guard holds. The guard belongs to the limit: SQLite would ask it of every
 * row, but with a limit of 0 it reads none.
 */
export function visibleIds(
  caller: Caller,
  { from, condition, order }: BugSelect,
  { limit, offset }: Page,
  guard?: SQL,
): VisibleIds {
  const rows = guard === undefined ? limitTo(limit) : sql`LIMIT iif(${guard}, ${limit}, 0)`
  const select = sql`SELECT ${bugs.id} FROM ${from ?? sql`bugs`} WHERE (${condition}) AND ${visibleBugCondition(caller)}
    ${sortedBy(order)} ${rows} OFFSET ${offset}`
  return { select } as VisibleIds
}

/** A table of these IDs, which are found once for all that reads it, and a page of it. */
export function tableOfIds(name: SQL, { select }: VisibleIds) {
  return {
    definition: sql`${name}(bug) AS MATERIALIZED (${select})`,
    count: sql`(SELECT count(*) FROM ${name})`,
    page({ limit, offset }: Page, guard: SQL): VisibleIds {
      const page = sql`SELECT bug AS id FROM ${name} LIMIT iif(${guard}, ${limit}, 0) OFFSET ${offset}`
      return { select: page } as VisibleIds
    },
  }
}

/** The ID of a reference among `jsonRows` of references; NULL where it has an alias that no bug has. */
const ID_OF_REF = sql`coalesce(r.value ->> 'id',
  (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias'))`

/** A select of the IDs of references, seen or not. */
export function idsOfRefs(refs: readonly BugRef[]): SQL {
  return sql`SELECT ${ID_OF_REF} FROM ${jsonRows(refs)}`
}

/** The visible bugs of the references. `resolveBugs` tells why others are missing. */
export function bugsNamed(caller: Caller, refs: readonly BugRef[]): BugSet {
  return brand(sql`${bugs.id} IN (${idsOfRefs(refs)}) AND ${visibleBugCondition(caller)}`)
}

export function bugsById(caller: Caller, ids: readonly number[]): BugSet {
  const list = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  return brand(sql`${bugs.id} IN ${list} AND ${visibleBugCondition(caller)}`)
}

/**
 * Selects the bug of each reference and whether it is visible, for the batch that reads `bugsNamed`. Almost
 * every operation on bugs sends it, so that it avoids the query builder of drizzle, which takes longer.
 */
export function resolveBugs(caller: Caller, refs: readonly BugRef[]) {
  return selectOf(
    {
      place: sql<number>`r.key`,
      id: sql<number | null>`${bugs.id}`,
      isVisible: sql<number>`coalesce(${visibleBugCondition(caller)}, 0)`,
    },
    sql`FROM ${jsonRows(refs)} LEFT JOIN bugs ON ${bugs.id} = ${ID_OF_REF}`,
  )
}

export type ResolvedRef = { place: number; id: number | null; isVisible: number }

/** The bugs of references, by the text as the client sent it. */
export function resolvedByName(
  refs: readonly BugRef[],
  resolved: readonly ResolvedRef[],
): ReadonlyMap<string, ResolvedRef> {
  return new Map(resolved.map((row) => [refs[row.place]?.given ?? '', row]))
}

/**
 * Separates references into the IDs of visible bugs, each once in the order of the references, and the faults
 * of the others: unknown aliases, unknown IDs, hidden bugs.
 */
export function separateVisibleBugs(
  caller: Caller,
  refs: readonly BugRef[],
  resolved: readonly ResolvedRef[],
): { ids: number[]; faults: { given: string; fault: Fault }[] } {
  const ids = new Set<number>()
  const faults: { given: string; fault: Fault }[] = []
  const byPlace = new Map(resolved.map((row) => [row.place, row]))
  refs.forEach((ref, place) => {
    const row = byPlace.get(place)
    if (row === undefined || row.id === null) {
      faults.push({ given: ref.given, fault: unknownBugFault(ref) })
    } else if (row.isVisible !== 1) {
      const anonymous = caller.kind === 'anonymous'
      faults.push({
        given: ref.given,
        fault: fault(bugNotVisible, { given: ref.given, anonymous }),
      })
    } else {
      ids.add(row.id)
    }
  })
  return { ids: [...ids], faults }
}

/** The IDs of the referenced bugs; throws the first fault of `separateVisibleBugs`. */
export function requireVisibleBugs(
  caller: Caller,
  refs: readonly BugRef[],
  resolved: readonly ResolvedRef[],
): number[] {
  const { ids, faults } = separateVisibleBugs(caller, refs, resolved)
  const [first] = faults
  if (first !== undefined) {
    throw first.fault
  }
  return ids
}

/** The most bugs that one request may change: each causes history, notices and mail. */
const MAX_WRITTEN_BUGS = 500

/** Like `parseBugRefs`, for a write, which names at most 500 bugs. */
export function parseBugRefsToWrite(inPath: string, ids?: readonly string[]): BugRef[] {
  const refs = parseBugRefs(inPath, ids)
  if (refs.length > MAX_WRITTEN_BUGS) {
    throw invalidParameter('ids', `may name at most ${MAX_WRITTEN_BUGS} bugs at once`)
  }
  return refs
}

/**
 * Parses the references in a path and in `ids`, equal texts once. An element of `ids` may contain several, separated
 * by commas.
 */
export function parseBugRefs(inPath: string, ids: readonly string[] = []): BugRef[] {
  const more = ids.flatMap((element) => element.split(',')).filter((name) => name.trim() !== '')
  return [...new Set([inPath, ...more])].map(parseBugRef)
}

/**
 * Parses a reference: digits, perhaps after `#`, are an ID, anything else is an alias, 0 too. An ID over 2^31
 * - 1 matches no bug.
 */
export function parseBugRef(given: string): BugRef {
  const name = given.trim().replace(/^#(?=\d+$)/, '')
  const isNumber = /^\d+$/.test(name) && !/^0+$/.test(name)
  return {
    given,
    id: isNumber ? Math.min(Number(name), MAX_BUG_ID + 1) : null,
    alias: isNumber ? '' : fold(name),
  }
}

function unknownBugFault(ref: BugRef): Fault {
  return ref.id === null
    ? fault(bugAliasUnknown, { given: ref.given })
    : fault(bugIdUnknown, { id: ref.given })
}

/** Only functions above call it, and each adds the visibility check. */
function brand(condition: SQL): BugSet {
  return { condition } as BugSet
}
