import type { SQL } from 'drizzle-orm'
import { selectExpressions } from '../db/read-batch.ts'
import { bugs } from '../db/schema/bugs.ts'
import { aliasColumns, allOf, flatSelect, jsonRows, limitTo, sql } from '../db/sql.ts'
import { type Fault, fault } from '../faults.ts'
import { fold } from '../lib/text.ts'
import type { Caller } from './caller.ts'
import { visibleBugCondition } from './visibility.ts'

const b = aliasColumns(bugs, 'b')

declare const bugSetBrand: unique symbol

/**
 * Bugs that are visible to a caller, as a condition on the table `bugs`. Only this file makes one, so that
 * a statement that takes a BugSet always includes the visibility check.
 */
export type BugSet = { readonly condition: SQL; readonly [bugSetBrand]: true }

/** A reference to a bug: the text as the client sent it, and the ID or the folded alias in it. */
export type BugRef = { readonly given: string; readonly id: number | null; readonly alias: string }

/** One way to find the bugs of a page. */
export type PagePlan = {
  /** The tables to look in; `bugs` alone when absent. */
  readonly from?: SQL
  readonly condition: SQL
  readonly order: readonly SQL[]
  /**
   * Conditions that hold as well, and that indexes find bugs for. The first that finds few leads; where none does,
   * the next plan is taken.
   */
  readonly candidates?: readonly Candidates[]
}

/** What an index finds for a condition. */
export type Candidates = {
  /** A select of the IDs of all bugs that meet the condition, and perhaps of others. */
  readonly select: SQL
  /** A faster select of at least as many rows, by which many are known to be many. */
  readonly postings?: SQL
  readonly test: SQL
  /** True only where `test` is, and much faster; the select is not run while it is true. */
  readonly ownTest?: SQL
  /** The select has no others. */
  readonly isExact: boolean
  /** Up to so many it is faster to sort them than to walk through the bugs in their order. */
  readonly most: number
}

type NamedCandidates = Candidates & { readonly name: SQL }

/** The start and the size of a page. */
export type Page = { readonly limit: number; readonly offset: number }

const MAX_BUG_ID = 2 ** 31 - 1

/** The visible bugs that meet all conditions. */
export function bugsWhere(caller: Caller, conditions: readonly SQL[]): BugSet {
  return brand(sql`(${allOf(conditions)}) AND ${visibleBugCondition(caller)}`)
}

/**
 * One page of the visible bugs that a search finds: by the plan with candidates when these are few, else by the
 * last plan. A subquery selects their IDs, so that nothing else is read of other bugs.
 */
export function bugsOnPage(caller: Caller, plans: readonly PagePlan[], page: Page): BugSet {
  const [few, ...others] = plans
  const last = others.at(-1) ?? few
  if (few === undefined || last === undefined) {
    return brand(sql`0`)
  }
  if (few.candidates === undefined || few === last) {
    return brand(sql`${bugs.id} IN (${flatSelect(selectPage(caller, last, page))})`)
  }
  const lists = few.candidates.map((list, n) => ({
    ...list,
    name: sql.raw(`candidates_${n}`),
    count: sql.raw(`(SELECT n FROM count_${n})`),
  }))
  const areMany = lists.map(({ count, most }) => sql`${count} > ${most}`)
  const areFew = lists.map(({ count, most }) => sql`${count} <= ${most}`)
  // SQLite resolves a list anew for each place that names it or its count, so that these are few
  const members = lists.map(({ name }, n) => {
    const leads = inTurn([...areMany.slice(0, n), areFew[n] ?? sql`0`])
    // a limit of 0 reads no row, and the array is made where the list leads
    return n === 0
      ? sql`SELECT * FROM (SELECT id FROM ${name} LIMIT iif(${leads}, -1, 0))`
      : sql`SELECT value FROM json_each(iif(${leads}, (SELECT json_group_array(id) FROM ${name}), '[]'))`
  })
  const tests = lists.map(({ name, test, ownTest, isExact }, n) => {
    if (lists.length === 1) {
      return isExact ? sql`1` : test
    }
    const isIn = sql`+${bugs.id} IN (SELECT id FROM ${name})`
    return isExact
      ? sql`CASE WHEN ${ownTest ?? sql`0`} THEN 1 WHEN ${areFew[n]} THEN ${isIn} ELSE ${test} END`
      : sql`CASE WHEN ${areFew[n]} AND NOT ${isIn} THEN 0 ELSE ${test} END`
  })
  const among = sql`${bugs.id} IN (${sql.join(members, sql` UNION ALL `)})
    AND ${allOf([...tests, few.condition])}`
  // each is counted once for all places that ask
  const candidates = lists.map((list, n) => countedCandidates(list, n))
  // where all are many, none has members
  return brand(sql`${bugs.id} IN (WITH ${sql.join(candidates, sql`, `)}
    SELECT id FROM (${selectPage(caller, { ...few, condition: among }, page)})
    UNION ALL SELECT id FROM (${selectPage(caller, last, page, inTurn(areMany))}))`)
}

/** The candidates of a list and their number, up to one more than are few. */
function countedCandidates({ name, select, postings, most }: NamedCandidates, n: number): SQL {
  const count = sql.raw(`count_${n}`)
  if (postings === undefined) {
    return sql`${name}(id) AS MATERIALIZED (SELECT * FROM (${select}) ${limitTo(most + 1)}),
      ${count}(n) AS MATERIALIZED (SELECT count(*) FROM ${name})`
  }
  const size = sql.raw(`size_${n}`)
  const areMany = sql`(SELECT n FROM ${size}) > ${most}`
  return sql`${size}(n) AS MATERIALIZED (SELECT count(*) FROM (SELECT 1 FROM (${postings}) ${limitTo(most + 1)})),
    ${name}(id) AS MATERIALIZED (SELECT * FROM (${select}) LIMIT iif(${areMany}, 0, ${most + 1})),
    ${count}(n) AS MATERIALIZED (SELECT iif(${areMany}, ${most + 1}, count(*)) FROM ${name})`
}

/** All conditions hold. SQLite would evaluate both sides of an AND, and so run a select whose rows nobody needs. */
function inTurn(conditions: readonly SQL[]): SQL {
  return conditions.reduceRight((rest, condition) => sql`iif(${condition}, ${rest}, 0)`)
}

/** Selects how many bugs the set has. */
export function countBugsOf(set: BugSet) {
  return selectExpressions<{ count: number }>(
    { count: sql`count(*)` },
    sql`FROM bugs WHERE ${set.condition}`,
  )
}

/** The guard belongs to the limit: SQLite would ask it of every row, but with a limit of 0 it reads none. */
function selectPage(
  caller: Caller,
  { from, condition, order }: PagePlan,
  { limit, offset }: Page,
  guard?: SQL,
): SQL {
  const rows = guard === undefined ? limitTo(limit) : sql`LIMIT iif(${guard}, ${limit}, 0)`
  return sql`SELECT ${bugs.id} FROM ${from ?? sql`bugs`} WHERE (${condition}) AND ${visibleBugCondition(caller)}
    ORDER BY ${sql.join([...order], sql`, `)} ${rows} OFFSET ${offset}`
}

/** The visible bugs of the references. `resolveBugs` tells why others are missing. */
export function bugsNamed(caller: Caller, refs: readonly BugRef[]): BugSet {
  return brand(sql`${bugs.id} IN (${idsOf(refs)}) AND ${visibleBugCondition(caller)}`)
}

/** The visible bugs with these IDs. */
export function bugsById(caller: Caller, ids: readonly number[]): BugSet {
  const list = sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`
  return brand(sql`${bugs.id} IN ${list} AND ${visibleBugCondition(caller)}`)
}

/**
 * Selects the bug of each reference and whether it is visible, for the batch that reads `bugsNamed`. Almost
 * every operation on bugs sends it, so that it avoids the query builder of drizzle, which takes longer.
 */
export function resolveBugs(caller: Caller, refs: readonly BugRef[]) {
  return selectExpressions<ResolvedRef>(
    {
      place: sql`r.key`,
      id: sql`${bugs.id}`,
      isVisible: sql`coalesce(${visibleBugCondition(caller)}, 0)`,
    },
    sql`FROM ${jsonRows(refs)} LEFT JOIN bugs ON ${bugs.id} = coalesce(r.value ->> 'id',
      (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias'))`,
  )
}

export type ResolvedRef = { place: number; id: number | null; isVisible: number }

/**
 * Separates references into the IDs of visible bugs, each once in the order of the references, and the
 * faults of the others: 100 for an unknown alias, 101 for an unknown ID, 102 for a bug that is hidden from
 * the caller. Reference: authentication.md, "Visibility of bugs".
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
        fault: fault('bugNotVisible', { given: ref.given, anonymous }),
      })
    } else {
      ids.add(row.id)
    }
  })
  return { ids: [...ids], faults }
}

/** The IDs of the referenced bugs; throws the first fault of `separateVisibleBugs`: 100, 101 or 102. */
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

/** Like `parseBugRefs`, for a write; fault 53 for more than 500 bugs. */
export function parseBugRefsToWrite(inPath: string, ids?: readonly string[]): BugRef[] {
  const refs = parseBugRefs(inPath, ids)
  if (refs.length > MAX_WRITTEN_BUGS) {
    throw fault('parameterInvalid', {
      field: 'ids',
      reason: `may name at most ${MAX_WRITTEN_BUGS} bugs at once`,
    })
  }
  return refs
}

/**
 * Parses the references in a path and in `ids`, equal texts once. An element of `ids` may contain several,
 * separated by commas. Reference: README.md, "IDs and names".
 */
export function parseBugRefs(inPath: string, ids: readonly string[] = []): BugRef[] {
  const more = ids.flatMap((element) => element.split(',')).filter((name) => name.trim() !== '')
  return [...new Set([inPath, ...more])].map(parseBugRef)
}

/**
 * Parses a reference: digits, perhaps after `#`, are an ID, anything else is an alias. Zero is an alias;
 * an ID over 2^31 - 1 stands for one that no bug has.
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
    ? fault('bugAliasUnknown', { given: ref.given })
    : fault('bugIdUnknown', { id: ref.given })
}

function idsOf(refs: readonly BugRef[]): SQL {
  return sql`SELECT coalesce(r.value ->> 'id',
    (SELECT ${b.id} FROM bugs b WHERE ${b.aliasFold} = r.value ->> 'alias')) FROM ${jsonRows(refs)}`
}

/** Only functions above call it, and each adds the visibility check. */
function brand(condition: SQL): BugSet {
  return { condition } as BugSet
}
