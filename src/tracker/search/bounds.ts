import type { SQL } from 'drizzle-orm'
import { bugsWhere } from '../../platform/access/bug-set.ts'
import type { Ctx } from '../../platform/context.ts'
import { type ExpressionSelect, readBatch, selectOf } from '../../platform/db/read-batch.ts'
import { ReadLimit, SelectTooLarge } from '../../platform/db/read-limit.ts'
import { take } from '../../platform/db/request-limits.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { countUpTo, directionOf, limitTo, sql, unionOf } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { turnOwner } from '../../platform/http/operations/caller-key.ts'
import { serviceBusy } from '../../platform/http/response/faults.ts'
import { Turns } from '../../platform/load/turns.ts'
import { type Limits, placesOf, type Walk } from './candidate-lists.ts'
import {
  type BugScan,
  type ComparedComments,
  type FoundCondition,
  namedBugs,
  type SearchCondition,
  selectCompared,
  sizeOfComparison,
  sizeOfScan,
  timeOf,
} from './condition.ts'
import { searchTooSlow } from './faults.ts'
import type { WalkOrder } from './order.ts'
import { countedOf, FEW, planWalk, wordsAmong } from './plan.ts'
import { refuseTooLarge } from './size.ts'

/** How far to walk, and in which order: by ID if it is not said. */
export type Reach = Partial<WalkOrder> & {
  /** The number of bugs after which no more are looked for; absent for all. */
  readonly most?: number
}

/** What a statement may look at in its turn. */
export const IN_TURN: Limits = {
  walk: { bugs: 20_000, looks: 5_000 },
  all: { bugs: 200_000, looks: 25_000 },
  milliseconds: 150,
}
/** The first part of a walk, of which nobody knows how fast it is; each later one is up to twice as long. */
const FIRST_PART = { bugs: 10_000, looks: 1500 }
/** Rows and milliseconds of a statement from which on the next one is shorter. */
const MAX_ROWS = 100_000
const MAX_MILLISECONDS = 100
/** Rows that count as one look. */
const ROWS_OF_LOOK = 10
/** Candidates of a list that are tested one by one. */
const MAX_LISTED = 20_000
/** The least that a bug takes. */
const MIN_LOOKS = 0.05

/**
 * Throws a fault, with the costliest criterion, when the request has read as many rows as it may, or the database has
 * worked as long for it.
 */
export function assertMayReadOn({ session, settings }: Reader, most: number, source: string): void {
  const { rowsRead, sqlMs } = session.cost
  if (rowsRead > most || sqlMs > settings.SEARCH_MILLISECONDS) {
    throw fault(searchTooSlow, { source })
  }
}

/**
 * Runs a statement within limits. Returns TOO_MUCH where it comes to one of them, so that its part of the time of the
 * request is counted, or where it is too large for the database, because smaller ones may find a part of the bugs.
 */
export async function readWithin<Result>(
  ctx: Reader,
  limits: Limits,
  read: () => Promise<Result>,
): Promise<Result | typeof TOO_MUCH> {
  const start = Date.now()
  try {
    return await read()
  } catch (error) {
    if (error instanceof ReadLimit) {
      ctx.session.cost.sqlMs += Math.min(Date.now() - start, limits.milliseconds)
      return TOO_MUCH
    }
    if (error instanceof SelectTooLarge) {
      return TOO_MUCH
    }
    throw error
  }
}

export const TOO_MUCH = Symbol('too much')

/** A request that searches. */
export type Reader = Pick<Ctx, 'session' | 'settings' | 'caller' | 'ip'>

/**
 * Finds the visible bugs that meet all conditions: a range of the bugs in each round trip, so that other requests get
 * their turn. Throws a fault, with the costliest condition, when the request has looked at bugs SEARCH_SCAN_BUGS times,
 * or what that takes in rows or in SEARCH_MILLISECONDS. This is what bounds everything that grows with the tracker.
 */
export async function walkInRanges(
  ctx: Ctx,
  members: readonly SearchCondition[],
  { by = bugs.id, isDescending = false, idsDescend = isDescending, most = Infinity }: Reach,
): Promise<number[]> {
  const order = { by, isDescending, idsDescend }
  const rarest = await findRarest(ctx, wordsAmong(members).slice(0, MAX_COMPARED))
  // the tests of the rarest words decide first
  const sorted = [...rarest, ...members.filter((member) => rarest.every((one) => one !== member))]
  const { walk, list } = planWalk(sorted, order, rarest)
  const source = sourceOf(members)
  const ids = list?.scan
    ? await readByScan(ctx, list.scan, source)
    : list?.compared
      ? await readByComparison(ctx, list.compared, source)
      : (await readLists(ctx, [list?.select]))[0]
  if (list === undefined || !ids) {
    return walkThrough(ctx, { ...walk, source }, order, most)
  }
  // a list is in no order but that of the IDs
  const byId = { by: bugs.id, isDescending, idsDescend: isDescending }
  const value = sql`value`
  const listed = {
    ...list,
    from: sql`json_each(${JSON.stringify(ids)})`,
    id: value,
    at: value,
    lead: sql`1`,
    order: [isDescending ? sql`value DESC` : value],
  }
  return walkThrough(ctx, { ...listed, source }, byId, by === bugs.id ? most : Infinity)
}

/** Words of which the rarest ones are chosen. */
const MAX_COMPARED = 12
/** Lengths up to which lists of words are counted: as far as it takes to know which are short. */
const COUNTED = [2000, 10_000, MAX_LISTED]
/** Words whose lists are read; what is left has few bugs for the tests of the others. */
const MAX_RAREST = 3

/** The words with the shortest lists, from the rarest; none where all are long. */
async function findRarest(ctx: Ctx, words: readonly FoundCondition[]): Promise<FoundCondition[]> {
  let known: { word: FoundCondition; size: number }[] = []
  for (const most of words.length < 2 ? [] : COUNTED) {
    const counts = words.map((word, n) => [
      `word${n}`,
      selectOf({ size: sql<number>`${countUpTo(countedOf(word), most)}` }, sql``),
    ])
    const sizes = await runInScanTurn(ctx, () => readBatch(ctx, Object.fromEntries(counts)))
    known = words
      .map((word, n) => ({ word, size: sizes[`word${n}`]?.[0]?.size ?? 0 }))
      .filter(({ size }) => size <= most)
      .toSorted((a, b) => a.size - b.size)
    if ((known[0]?.size ?? Infinity) <= FEW || known.length >= MAX_RAREST) {
      break
    }
  }
  return known.slice(0, MAX_RAREST).map(({ word }) => word)
}

/**
 * The IDs that each select finds, in any order and each once; null where they are too many to be tested one by one, some
 * list is too long to be read, or there is no select.
 */
export async function readLists(
  ctx: Reader,
  selects: readonly (SQL | undefined)[],
): Promise<(number[] | null)[]> {
  const statements = selects.flatMap((select, n) => (select ? [[n, selectList(select)]] : []))
  if (statements.length === 0) {
    return selects.map(() => null)
  }
  const lists = await runInScanTurn(ctx, () =>
    readWithin(ctx, IN_TURN, () => readBatch(ctx, Object.fromEntries(statements))),
  )
  return selects.map((_, n) => {
    if (lists === TOO_MUCH) {
      return null
    }
    const { size, ids } = lists[n]?.[0] ?? { size: Infinity, ids: '[]' }
    return size > MAX_LISTED ? null : JSON.parse(ids)
  })
}

/** The same for a list of which no index has all: the bugs are looked at in parts. */
function readByScan(ctx: Ctx, scan: BugScan, source: string): Promise<number[] | null> {
  return readInParts(ctx, source, (behind) => readScanned(ctx, scan, behind))
}

/** The same for matches of which the comments are compared. */
function readByComparison(
  ctx: Ctx,
  compared: ComparedComments,
  source: string,
): Promise<number[] | null> {
  return readInParts(ctx, source, (behind) => readCompared(ctx, compared, behind))
}

async function readInParts(
  ctx: Ctx,
  source: string,
  readPart: (behind: number) => Promise<ScannedPart>,
): Promise<number[] | null> {
  const most = ctx.settings.SEARCH_SCAN_BUGS * ROWS_OF_LOOK
  const ids = new Set<number>()
  for (let behind: number | null = 0; behind !== null; ) {
    assertMayReadOn(ctx, most, source)
    const part = await readPart(behind)
    for (const id of part.ids) {
      ids.add(id)
    }
    if (Math.max(ids.size, part.size) > MAX_LISTED) {
      return null
    }
    behind = part.last
  }
  return [...ids]
}

/** `last` is null where no bugs are left. */
type ScannedPart = {
  readonly size: number
  readonly ids: number[]
  readonly last: number | null
}

async function readScanned(ctx: Ctx, scan: BugScan, behind: number): Promise<ScannedPart> {
  const end = sql`(SELECT ${bugs.id} FROM bugs WHERE ${bugs.id} > ${behind} ORDER BY ${bugs.id}
    LIMIT 1 OFFSET ${sizeOfScan(scan) - 1} + 0)`
  const part = scan.within(
    (id) => sql`${id} > ${behind} AND ${id} <= coalesce(${end}, ${Number.MAX_SAFE_INTEGER})`,
  )
  const { list, place } = await runInScanTurn(ctx, () =>
    readBatch(ctx, {
      list: selectList(behind === 0 ? unionOf([scan.indexed, part]) : part),
      place: selectOf({ last: sql<number | null>`${end}` }, sql``),
    }),
  )
  return partOf(list, place)
}

async function readCompared(
  ctx: Ctx,
  compared: ComparedComments,
  behind: number,
): Promise<ScannedPart> {
  const size = sizeOfComparison(compared)
  const places = sql`SELECT place FROM (${compared.commentsBehind(behind)}) ORDER BY place`
  const part = sql`${places} ${limitTo(size)}`
  const { exact, ...others } = compared
  const { list, place } = await runInScanTurn(ctx, () =>
    readBatch(ctx, {
      list: selectList(selectCompared(behind === 0 ? compared : others, part)),
      place: selectOf(
        { last: sql<number | null>`(${places} LIMIT 1 OFFSET ${size - 1} + 0)` },
        sql``,
      ),
    }),
  )
  return partOf(list, place)
}

function partOf(
  [list]: readonly { readonly size: number; readonly ids: string }[],
  [place]: readonly { readonly last: number | null }[],
): ScannedPart {
  const { size, ids } = list ?? { size: 0, ids: '[]' }
  return { size, ids: JSON.parse(ids), last: place?.last ?? null }
}

function selectList(select: SQL) {
  return selectOf(
    { size: sql<number>`count(*)`, ids: sql<string>`json_group_array(DISTINCT bug)` },
    sql`FROM (SELECT * FROM (${namedBugs(select)}) ${limitTo(MAX_LISTED + 1)})`,
  )
}

async function walkThrough(
  ctx: Ctx,
  walk: Walk & { readonly source: string },
  order: WalkOrder,
  most: number,
): Promise<number[]> {
  const looks = Math.max(timeOf(walk.looks), MIN_LOOKS)
  const { cost } = ctx.session
  const allowed = ctx.settings.SEARCH_SCAN_BUGS
  const found: number[] = []
  let behind: Place | null = null
  let size = Math.min(FIRST_PART.bugs, FIRST_PART.looks / looks)
  while (found.length < most) {
    const left = (allowed - take(ctx, 'looks', 0)) / looks
    const limit = Math.floor(Math.min(Math.max(size, 1), left))
    if (limit < 1) {
      throw fault(searchTooSlow, { source: walk.source })
    }
    assertMayReadOn(ctx, allowed * ROWS_OF_LOOK, walk.source)
    const { rowsRead, sqlMs } = cost
    const range: Range = await runInScanTurn(ctx, () =>
      readRange(ctx, walk, order, behind, limit).catch(refuseTooLarge),
    )
    const rows = cost.rowsRead - rowsRead
    const excess = Math.max(rows / MAX_ROWS, (cost.sqlMs - sqlMs) / MAX_MILLISECONDS)
    take(ctx, 'looks', range.count * looks)
    size = limit / Math.max(excess, 0.5)
    found.push(...range.found)
    behind = range.last
    if (behind === null) {
      break
    }
  }
  return found.slice(0, most)
}

/** The criterion that costs most. */
function sourceOf(members: readonly SearchCondition[]): string {
  const [first] = members.toSorted((a, b) => b.cost.looks - a.cost.looks)
  return first?.cost.source ?? 'it'
}

/** A bug, and where it stands in the order of a walk. */
type Place = { readonly at: number; readonly id: number }

/** `last` is null where the walk ends. */
type Range = { readonly count: number; readonly last: Place | null; readonly found: number[] }

/** One row, however many bugs it is about. */
async function readRange(
  ctx: Ctx,
  walk: Walk,
  { by, isDescending, idsDescend }: WalkOrder,
  behind: Place | null,
  size: number,
): Promise<Range> {
  const { from, id, at, lead, condition } = walk
  const sign = (descends: boolean) => sql.raw(descends ? '<' : '>')
  const [next, nextId] = [sign(isDescending), sign(idsDescend)]
  const [until, untilId] = [sign(!isDescending), sign(!idsDescend)]
  // ahead of every place
  const end = (descends: boolean) => (descends ? -1 : Number.MAX_SAFE_INTEGER)
  const isBehind =
    behind === null
      ? sql`1`
      : sql`${at} ${next}= ${behind.at} AND (+${at} ${next} ${behind.at} OR ${id} ${nextId} ${behind.id})`
  const lastAt = sql`coalesce((SELECT at FROM final), ${end(isDescending)})`
  const lastId = sql`coalesce((SELECT place FROM final), ${end(idsDescend)})`
  const isWithin = sql`${at} ${until}= ${lastAt} AND (+${at} ${until} ${lastAt} OR ${id} ${untilId}= ${lastId})`
  const found = sql`json_group_array(${bugs.id} ORDER BY ${by} ${directionOf(isDescending)}, ${bugs.id} ${directionOf(idsDescend)})`
  const joined = from === undefined ? sql`bugs` : sql`${from} CROSS JOIN bugs ON ${bugs.id} = ${id}`
  const isMatch = bugsWhere(ctx.caller, [condition]).condition
  // what is hidden counts for nothing
  const isNext = from === undefined ? bugsWhere(ctx.caller, [isBehind]).condition : isBehind
  const { rows } = await readBatch(ctx, {
    rows: {
      decoded: [],
      statement: sql`WITH final AS MATERIALIZED (${placesOf(walk, isNext)} LIMIT 1 OFFSET ${size - 1} + 0)
        SELECT count(*) AS count, (SELECT json_object('at', at, 'id', place) FROM final) AS last,
          ${found} FILTER (WHERE ${isMatch}) AS found
        FROM ${joined}
        WHERE ${lead} AND ${isNext} AND ${isWithin}`,
    } as ExpressionSelect<{ count: number; last: string | null; found: string }>,
  })
  const { count = 0, last = null, found: ids = '[]' } = rows[0] ?? {}
  return { count, last: last === null ? null : JSON.parse(last), found: JSON.parse(ids) }
}

const turns = new Turns<string>(1)
const SHORT_AT_ONCE = 2
/** Looks at one bug from which on a statement runs alone: it takes long to be prepared, and what it counts is longer. */
const MANY_LOOKS = 40
/** In the pause behind such a statement another request makes several trips, instead of waiting for the next at each. */
const ALONE = { weight: SHORT_AT_ONCE, pauseMs: 15 }
/**
 * What needs no turn, but would keep others waiting if all of a flood of searches stood in line. The runtime takes new
 * requests in the pauses.
 */
const shortTurns = new Turns<string>(1, SHORT_AT_ONCE)

/** Searches that wait for a short turn; the compiled statements of each take up to 100 KB. */
const MAX_WAITING = 400
/** So many of one caller wait in any case, so that nobody is refused for what others send. */
const FEW_WAITING = 10
const MAX_WAITING_WITH_RESERVE = 500

/**
 * Runs what reads a part of a search in short statements, with so many looks at one bug, when few others do; refuses it
 * with 503 behind too many.
 */
export async function runInShortTurn<Result>(
  ctx: Reader,
  read: () => Promise<Result>,
  looks = 1,
): Promise<Result> {
  const owner = turnOwner(ctx)
  const waiting = shortTurns.listOwners()
  const own = waiting.filter((other) => other === owner).length
  if (waiting.length >= (own < FEW_WAITING ? MAX_WAITING_WITH_RESERVE : MAX_WAITING)) {
    throw fault(serviceBusy)
  }
  return shortTurns.run(owner, read, looks > MANY_LOOKS ? ALONE : {})
}

/**
 * Runs a part of a search that reads many rows when no other search of this isolate does: the database takes
 * one statement after the other, so that a read of one bug waits for one of these parts, however many
 * searches run.
 */
export function runInScanTurn<Result>(ctx: Reader, scan: () => Promise<Result>): Promise<Result> {
  return turns.run(turnOwner(ctx), scan)
}
