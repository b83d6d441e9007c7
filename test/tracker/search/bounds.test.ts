import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { countBugsOf } from '../../../src/platform/access/bug-set.ts'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { readBatch, selectOf } from '../../../src/platform/db/read-batch.ts'
import { REACH_LIMIT, ReadLimit } from '../../../src/platform/db/read-limit.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { aliasColumns, jsonList, sql } from '../../../src/platform/db/sql.ts'
import {
  IN_TURN,
  readLists,
  readWithin,
  TOO_MUCH,
  walkInRanges,
} from '../../../src/tracker/search/bounds.ts'
import { allBugs } from '../../../src/tracker/search/candidate-lists.ts'
import {
  anyCondition,
  type BugScan,
  costOf,
  idsCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  selectAtOnce,
  sizeOfScan,
} from '../../../src/tracker/search/condition.ts'
import { negate } from '../../../src/tracker/search/expression.ts'
import type { Operator } from '../../../src/tracker/search/operators.ts'
import { planAll } from '../../../src/tracker/search/plan.ts'
import { hideBugs, insertBugs, restrictBug } from '../../support/builders/bugs.ts'
import { insertFlagType } from '../../support/builders/flags.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'
import { interceptBatches } from '../../support/fakes/sessions.ts'
import { buildCondition, buildContext } from '../../support/search/find-in-all-forms.ts'
import { compileSearch } from '../../support/search-forms.ts'

const { ids } = await insertBugs(await insertPerson(), 1300)
const hidden = ids[700] ?? 0
await restrictBug(hidden, await insertGroup())

afterAll(() => hideBugs(ids))

function buildCtx(mostBugs = 200_000, milliseconds = 60_000): Ctx {
  const ctx = systemCtx(env, createExecutionContext())
  return {
    ...ctx,
    caller: ANONYMOUS,
    settings: {
      ...ctx.settings,
      SEARCH_SCAN_BUGS: mostBugs,
      SEARCH_MILLISECONDS: milliseconds,
    },
  }
}

/** Every tenth of these bugs, for a price. */
function costly(): SearchCondition {
  const tenths = ids.filter((_, n) => n % 10 === 0)
  return { test: sql`${bugs.id} IN ${jsonList(tenths)}`, cost: costOf('texts', 'longdesc') }
}

/** These bugs, by an index. */
const listed = () => idsCondition(ids)

const ours = () => ({ test: sql`${bugs.id} IN ${jsonList(ids)}`, cost: ROW })
const expected = () => ids.filter((id, n) => n % 10 === 0 && id !== hidden)

describe('the time of the database that one request may take', () => {
  test('counts a statement that fails at its limit, of which D1 reports nothing', async () => {
    const ctx = buildCtx()
    const failing = async () => {
      await scheduler.wait(IN_TURN.milliseconds + 20)
      return readBatch(ctx, { none: selectOf({ none: REACH_LIMIT }, sql``) })
    }
    expect(await readWithin(ctx, IN_TURN, failing)).toBe(TOO_MUCH)
    expect(ctx.session.cost.sqlMs).toBe(IN_TURN.milliseconds)
  })

  test('counts a list of bugs that is too long, and leaves it out', async () => {
    const ctx = buildCtx()
    vi.spyOn(ctx.session, 'send').mockImplementation(async () => {
      await scheduler.wait(IN_TURN.milliseconds + 20)
      throw new Error(`D1_ERROR: bad JSON path: 'read limit0'`)
    })
    expect(await readLists(ctx, [sql`SELECT 1`, undefined])).toEqual([null, null])
    expect(ctx.session.cost.sqlMs).toBe(IN_TURN.milliseconds)
  })

  test.each([{}, { count_only: true }])(
    'ends ahead of the next of its searches: %o',
    async (given) => {
      const calls = [0, 1, 2].map((id) => ({
        ...{ jsonrpc: '2.0', id, method: 'Bug.search' },
        params: { quicksearch: 'words', include_fields: ['id'], ...given },
      }))
      const answer = await fetchWith(
        { DB: reportDuration(150), SEARCH_MILLISECONDS: '500' },
        '/jsonrpc.cgi',
        { method: 'POST', body: JSON.stringify(calls) },
      )
      const answers = await answer.json<{ error?: { code: number } }[]>()
      expect(answers.map(({ error }) => error?.code)).toEqual([undefined, undefined, 1001])
    },
  )
})

/** The database, which reports for each statement that it took so many milliseconds. */
function reportDuration(duration: number) {
  return interceptBatches(async (statements, send) =>
    (await send(statements)).map(({ meta, ...result }) => ({
      ...{ ...result, meta: { ...meta, duration } },
    })),
  )
}

describe('a walk in ranges', () => {
  test('finds all visible matches in the order of their IDs, in either direction', async () => {
    const members = [costly(), ours()]
    expect(await walkInRanges(buildCtx(), members, { isDescending: false })).toEqual(expected())
    expect(await walkInRanges(buildCtx(), members, { isDescending: true })).toEqual(
      expected().toReversed(),
    )
  })

  test('ends in the range in which enough were found', async () => {
    const ctx = buildCtx()
    const members = [ours(), costly()]
    const found = await walkInRanges(ctx, members, { isDescending: true, most: 20 })
    expect(found).toEqual(expected().toReversed().slice(0, 20))
    expect(ctx.session.cost.trips).toBe(1)
    expect(await walkInRanges(ctx, members, { isDescending: false, most: 70 })).toHaveLength(70)
  })

  test('answers 1001 with the costly condition when the bugs are more than the budget', async () => {
    const members = [listed(), costly()]
    const walk = walkInRanges(buildCtx(1000), members, { isDescending: false })
    await expect(walk).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining('longdesc'),
    })
    expect(await walkInRanges(buildCtx(1600), members, {})).toEqual(expected())
  })

  test('answers 1001 with the costly condition when the database has no time left', async () => {
    const walk = walkInRanges(buildCtx(200_000, -1), [listed(), costly()], {})
    await expect(walk).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining('longdesc'),
    })
  })

  test('spends one budget on all searches of a request', async () => {
    const ctx = buildCtx(2000)
    const members = [listed(), costly()]
    expect(await walkInRanges(ctx, members, {})).toEqual(expected())
    await expect(walkInRanges(ctx, members, {})).rejects.toMatchObject({ code: 1001 })
  })

  test('follows an order by time, and that of the IDs of one moment', async () => {
    await execute(sql`UPDATE bugs SET changed_at = 5000 - CAST((id - ${ids[0]}) / 400 AS INTEGER)
      WHERE id IN ${jsonList(ids)}`)
    const momentOf = (id: number) => 5000 - Math.floor((id - (ids[0] ?? 0)) / 400)
    const later = (a: number, b: number) => momentOf(b) - momentOf(a)
    const walk = { by: bugs.changedAt, isDescending: true, idsDescend: false }
    expect(await walkInRanges(buildCtx(), [ours(), costly()], walk)).toEqual(
      expected().toSorted((a, b) => later(a, b) || a - b),
    )
    const back = { by: bugs.changedAt, idsDescend: true }
    expect(await walkInRanges(buildCtx(), [ours(), costly()], back)).toEqual(
      expected().toSorted((a, b) => later(b, a) || b - a),
    )
  })

  test.each([
    ['one by one', false],
    ['of which one has to hold', true],
  ])('counts a bug once for each of many criteria about its rows, %s', async (_, isAny) => {
    const counts = Array.from({ length: 20 }, (_, n) =>
      compileSearch(buildCondition('keywords.count', 'equals', `9${n}`), buildContext()),
    )
    const members = [listed(), ...(isAny ? [anyCondition(counts)] : counts)]
    const ctx = buildCtx(3000)
    await expect(walkInRanges(ctx, members, {})).rejects.toMatchObject({ code: 1001 })
    expect(await walkInRanges(buildCtx(6000), members, {})).toEqual([])
  })

  test('counts a bug once for each word', async () => {
    const words = buildCondition('longdesc', 'anywordssubstr', 'q z qz zq')
    const members = [listed(), compileSearch(words, buildContext())]
    await expect(walkInRanges(buildCtx(5000), members, {})).rejects.toMatchObject({ code: 1001 })
  })

  test.each<[string, Operator, string]>([
    ['status_whiteboard', 'changedfrom', 'a rare value'],
    ['anything', 'changedto', 'a rare value'],
    ['content', 'matches', 'q*'],
    ['longdesc', 'substring', 'q'],
  ])('bounds %s %s %j, which grows with the tracker', async (field, operator, value) => {
    const condition = negate(buildCondition(field, operator, value))
    const never = { test: sql`${bugs.id} < 0`, cost: ROW }
    const members = [compileSearch(condition, buildContext()), never]
    const ctx = buildCtx(200)
    await expect(walkInRanges(ctx, members, {})).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining(field),
    })
    expect(ctx.session.cost.rowsRead).toBeLessThan(10_000)
  })

  test('reads the flags of each bug, not all that one person has set', async () => {
    const setter = await insertPerson()
    const type = await insertFlagType()
    await execute(sql`INSERT INTO flags (setter_id, bug_id, type_id, status, created_at, modified_at)
      SELECT ${setter.id}, value, ${type.id}, '?', 1, 1 FROM ${jsonList(ids)}`)
    const condition = negate(buildCondition('setters.login_name', 'equals', setter.login))
    const ctx = buildCtx()
    const members = [listed(), compileSearch(condition, buildContext())]
    expect(await walkInRanges(ctx, members, {})).toEqual([])
    expect(ctx.session.cost.rowsRead).toBeLessThan(20 * ids.length)
  })

  test('tests the bugs of a list alone where an index has one', async () => {
    const ctx = buildCtx()
    const few = idsCondition(ids.slice(0, 10))
    expect(await walkInRanges(ctx, [few, costly()], { isDescending: false })).toEqual([ids[0]])
    expect(ctx.session.cost.trips).toBe(2)
    expect(ctx.session.cost.rowsRead).toBeLessThan(200)
  })
})

describe('a list of which no index has all', () => {
  /** Every tenth of the bugs, found by looks at all of them, of which one statement may have so many. */
  function scanned(most: number): SearchCondition {
    const other = aliasColumns(bugs, 'other')
    const tenths = jsonList(ids.filter((_, n) => n % 10 === 0))
    const scan: BugScan = {
      indexed: sql`SELECT ${ids[5] ?? 0}`,
      comparisons: Math.floor(sizeOfScan({ comparisons: 1 } as BugScan) / most),
      within: (isWithin) =>
        sql`SELECT ${other.id} FROM bugs other WHERE ${isWithin(sql`${other.id}`)} AND ${other.id} IN ${tenths}`,
    }
    const test = sql`(${bugs.id} IN ${tenths} OR ${bugs.id} = ${ids[5] ?? 0})`
    const select = selectAtOnce(scan)
    return {
      test,
      cost: costOf('texts', 'content'),
      access: { kind: 'list', selectivity: SELECTIVITY.value, select, matches: select, scan },
    }
  }
  const found = () => [...expected(), ids[5] ?? 0].toSorted((a, b) => a - b)
  const read = (ctx: Ctx, condition: SearchCondition) =>
    readBatch(ctx, { count: countBugsOf(allBugs(ANONYMOUS, planAll([condition]))) })

  test('is read by one statement where that looks at few bugs', async () => {
    const { count } = await read(buildCtx(), scanned(100_000))
    expect(count[0]?.count).toBe(found().length)
  })

  test('is read in parts where one statement would look at too many', async () => {
    await expect(read(buildCtx(), scanned(400))).rejects.toThrow(ReadLimit)
    const ctx = buildCtx()
    expect(await walkInRanges(ctx, [scanned(400)], { isDescending: true })).toEqual(
      found().toReversed(),
    )
    expect(ctx.session.cost.trips).toBeGreaterThan(3)
  })

  test('ends with 1001 when the database has no time left', async () => {
    const walk = walkInRanges(buildCtx(200_000, -1), [scanned(400)], {})
    await expect(walk).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining('content'),
    })
  })
})
