import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { invalidParameter } from '../../platform/faults/fault.ts'
import {
  type AccountRange,
  type FindViewer,
  type Sought,
  selectAccountCount,
  selectBehind,
  selectMatching,
  selectPeople,
  selectSavedSearches,
  type UserCriteria,
} from './find.ts'
import { mayMatch, stepsOfPattern } from './match-condition.ts'

/** Tests of an account for a string in one round trip, which takes a tenth of a second, and in one request. */
const STEPS_OF_TRIP = 100_000
const MAX_STEPS = 900_000
const PAUSE_MS = 5

const TOO_MANY = 'has to be looked for in too many accounts: ask for fewer strings or stars at once'

/** A row that a match string has found. */
type MatchRow = Awaited<ReturnType<typeof selectMatching>>[number]

/** A match string, and how many accounts it has found. */
type Search = Sought & { found: number }

/**
 * Reads the people whom a request asks for, in one round trip unless match strings have to be looked for in very many
 * accounts: these are walked in ranges, up to a limit. The rows of one match string are in order, with one behind the
 * limit, and of those ahead of the offset some; `position` is its index.
 */
export async function readPeople(ctx: Ctx, criteria: UserCriteria, viewer: FindViewer) {
  const sought = criteria.matches.flatMap((match, position): Search[] =>
    mayMatch(match) ? [{ match, position, found: 0 }] : [],
  )
  if (sought.length === 0) {
    const byMatch: MatchRow[] = []
    return { ...(await readBatch(ctx, selectPeople(criteria, viewer))), byMatch }
  }
  let range = rangeBehind({ passed: 0, accounts: 0 }, sought)
  // the searches that somebody saved may be long, and would stay in memory meanwhile
  const { counted, ...read } = await readBatch(ctx, {
    ...selectPeople(criteria, { ...viewer, wantsSavedSearches: false }),
    counted: selectAccountCount(criteria),
    ...selectAll(sought, range, criteria, viewer),
  })
  const byMatch = takeRows(sought, read)
  let isMore = (counted[0]?.most ?? 0) > endOf(range)
  for (let steps = STEPS_OF_TRIP; isMore; ) {
    const unfinished = sought.filter(({ found }) => found <= criteria.offset + criteria.limit)
    if (unfinished.length === 0) {
      break
    }
    steps += STEPS_OF_TRIP
    if (steps > MAX_STEPS) {
      throw invalidParameter('match', TOO_MANY)
    }
    // the runtime takes new requests in between
    await scheduler.wait(PAUSE_MS)
    range = rangeBehind(range, unfinished)
    const { behind, ...rows } = await readBatch(ctx, {
      behind: selectBehind(range),
      ...selectAll(unfinished, range, criteria, viewer),
    })
    byMatch.push(...takeRows(unfinished, rows))
    isMore = behind.length > 0
  }
  const people = [...(read.byName ?? []), ...(read.byId ?? []), ...byMatch]
  return { ...read, byMatch, savedSearches: await readSavedSearches(ctx, viewer, people) }
}

/** Those of the caller, who is one of the people. */
async function readSavedSearches(
  ctx: Ctx,
  { caller, wantsSavedSearches }: FindViewer,
  people: readonly { readonly id: number }[],
) {
  const isFound = caller.kind === 'person' && people.some(({ id }) => id === caller.id)
  const rows = isFound && wantsSavedSearches ? selectSavedSearches(caller) : undefined
  return (await readBatch(ctx, { rows })).rows
}

/** A statement for each string: one for all would be longer than the database takes. */
function selectAll(
  sought: readonly Search[],
  range: AccountRange,
  criteria: UserCriteria,
  viewer: FindViewer,
) {
  return Object.fromEntries(
    sought.map((one) => [
      keyOf(one),
      selectMatching(one, { ...range, found: one.found }, criteria, viewer),
    ]),
  )
}

function takeRows(sought: readonly Search[], rows: Readonly<Record<string, unknown>>): MatchRow[] {
  return sought.flatMap((one) => {
    const own = rows[keyOf(one)] as MatchRow[]
    one.found = own.at(-1)?.place ?? one.found
    return own
  })
}

function keyOf({ position }: Sought): `match ${number}` {
  return `match ${position}`
}

function rangeBehind(before: AccountRange, sought: readonly Sought[]): AccountRange {
  const steps = sought.reduce((sum, { match }) => sum + stepsOfPattern(match), 0)
  const accounts = Math.max(1, Math.floor(STEPS_OF_TRIP / steps))
  return { passed: endOf(before), accounts }
}

function endOf({ passed, accounts }: AccountRange): number {
  return passed + accounts
}
