import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { jsonList, sql } from '../../../src/platform/db/sql.ts'
import { needsWalk, walkInRanges } from '../../../src/tracker/search/bounds.ts'
import {
  allConditions,
  anyCondition,
  idsCondition,
  listedCondition,
  notCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  type TestCost,
  testedCondition,
} from '../../../src/tracker/search/condition.ts'
import { hideBugs, insertBugs, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'

let ids: number[]
let hidden: number

beforeAll(async () => {
  ;({ ids } = await insertBugs(await insertPerson(), 1300))
  hidden = ids[700] ?? 0
  await restrictBug(hidden, await insertGroup())
})

afterAll(() => hideBugs(ids))

function buildCtx(mostBugs = 200_000): Ctx {
  const ctx = systemCtx(env, createExecutionContext())
  return {
    ...ctx,
    caller: ANONYMOUS,
    settings: { ...ctx.settings, SEARCH_SCAN_BUGS: mostBugs },
  }
}

const costOf = (source: string): TestCost => ({ looksAt: 'texts', source })

/** Every tenth of these bugs, for a price. */
function costly(): SearchCondition {
  const tenths = ids.filter((_, n) => n % 10 === 0)
  return testedCondition(sql`${bugs.id} IN ${jsonList(tenths)}`, costOf('longdesc'))
}

const ours = () => testedCondition(sql`${bugs.id} IN ${jsonList(ids)}`, ROW)
const expected = () => ids.filter((id, n) => n % 10 === 0 && id !== hidden)

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
    expect(ctx.session.cost.trips).toBe(3)
  })

  test('answers 1001 with the costly condition when the bugs are more than the budget', async () => {
    const members = [ours(), costly()]
    const walk = walkInRanges(buildCtx(1000), members, { isDescending: false })
    await expect(walk).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining('longdesc'),
    })
    const page = { isDescending: false, most: 50 }
    expect(await walkInRanges(buildCtx(1000), members, page)).toHaveLength(50)
    // the bug that is hidden counts for nothing
    expect(await walkInRanges(buildCtx(1300), members, { isDescending: false })).toEqual(expected())
  })

  test('reads few rows of other bugs when an index finds those that the cheap conditions leave', async () => {
    const ctx = buildCtx()
    const few = idsCondition(ids.slice(0, 10))
    expect(await walkInRanges(ctx, [few, costly()], { isDescending: false })).toEqual([ids[0]])
    expect(ctx.session.cost.trips).toBe(1)
    expect(ctx.session.cost.rowsRead).toBeLessThan(200)
  })
})

describe('a search needs a walk', () => {
  const cheap = testedCondition(sql`1`, ROW)
  const expensive = testedCondition(sql`1`, costOf('first'))
  const person = listedCondition(sql`SELECT 1`, SELECTIVITY.person)
  const product = listedCondition(sql`SELECT 1`, SELECTIVITY.product)

  test.each<[string, SearchCondition[], boolean]>([
    ['nothing is costly', [cheap, product], false],
    ['something is costly', [cheap, expensive], true],
    ['a person leads', [person, expensive], false],
    ['a product leads', [product, expensive], true],
    ['a part of a group is costly', [allConditions([cheap, expensive])], true],
    ['an alternative is costly', [anyCondition([person, expensive])], true],
    ['a negation is costly', [notCondition(expensive)], true],
    ['a group has a leader', [allConditions([person, expensive])], false],
  ])('when %s: %s', (_, members, expectation) => {
    expect(needsWalk(members)).toBe(expectation)
  })

  test('for the first of the costly conditions', () => {
    const second = testedCondition(sql`1`, costOf('second'))
    expect(anyCondition([cheap, expensive, second]).cost).toEqual(costOf('first'))
    expect(allConditions([second, expensive]).cost).toEqual(costOf('second'))
  })
})
