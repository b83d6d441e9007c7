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
import {
  type Expression,
  type FieldCondition,
  membersOf,
} from '../../../src/tracker/search/expression.ts'
import { isChangeOperator, type Operator } from '../../../src/tracker/search/operators.ts'
import { hideBugs, insertBugs, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'
import { buildCondition, buildContext } from '../../support/search/find-in-all-forms.ts'
import { compileSearch } from '../../support/search-forms.ts'

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

const changed = (operator: Operator, value: string) =>
  buildCondition('status_whiteboard', operator, value)

function all(...conditions: FieldCondition[]): Expression {
  const changes = conditions.filter(({ operator }) => isChangeOperator(operator))
  const members = changes.map((condition) => ({ condition, isNegated: false }))
  const others = conditions.filter((condition) => !changes.includes(condition))
  return { kind: 'all', members: [{ kind: 'sameRow', members }, ...others] }
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
    const counts = Array.from({ length: 10 }, (_, n) =>
      compileSearch(buildCondition('keywords.count', 'equals', `9${n}`), buildContext()),
    )
    const members = [ours(), ...(isAny ? [anyCondition(counts)] : counts)]
    expect(needsWalk(members)).toBe(true)
    expect(needsWalk([ours(), ...counts.slice(0, 4)])).toBe(false)
    await expect(walkInRanges(buildCtx(12_000), members, {})).rejects.toMatchObject({ code: 1001 })
    expect(await walkInRanges(buildCtx(13_100), members, {})).toEqual([])
  })

  test('counts a bug once for each word', async () => {
    const words = buildCondition('longdesc', 'anywordssubstr', 'q z qz zq')
    const members = [ours(), compileSearch(words, buildContext())]
    await expect(walkInRanges(buildCtx(5000), members, {})).rejects.toMatchObject({ code: 1001 })
  })

  test.each<[string, Operator, string]>([
    ['status_whiteboard', 'changedfrom', 'a rare value'],
    ['anything', 'changedto', 'a rare value'],
    ['content', 'matches', 'q*'],
    ['longdesc', 'substring', 'q'],
  ])('bounds %s %s %j, which grows with the tracker', async (field, operator, value) => {
    const condition = buildCondition(field, operator, value)
    const members = [ours(), compileSearch(condition, buildContext())]
    expect(needsWalk(members)).toBe(true)
    const ctx = buildCtx(1000)
    await expect(walkInRanges(ctx, members, {})).rejects.toMatchObject({
      code: 1001,
      message: expect.stringContaining(field),
    })
    expect(ctx.session.cost.trips).toBe(2)
    expect(ctx.session.cost.rowsRead).toBeLessThan(10_000)
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

  test.each<[string, Expression]>([
    ['changes of one person', all(changed('changedfrom', 'a'), changed('changedby', 'a@b.test'))],
    ['changes after a moment', all(changed('changedfrom', 'a'), changed('changedafter', '-1d'))],
    ['the start of few words', buildCondition('content', 'matches', 'sprock*')],
    ['a common word', buildCondition('content', 'matches', 'the')],
    [
      'changes beside a person',
      all(changed('changedfrom', 'a'), buildCondition('cc', 'equals', 'a')),
    ],
  ])('but not for %s, which an index finds', (_, expression) => {
    const members = membersOf(expression).map((member) => compileSearch(member, buildContext()))
    expect(needsWalk(members)).toBe(false)
  })

  test('for the first of the costly conditions', () => {
    const second = testedCondition(sql`1`, costOf('second'))
    expect(anyCondition([cheap, expensive, second]).cost).toMatchObject(costOf('first'))
    expect(allConditions([second, expensive]).cost).toMatchObject(costOf('second'))
  })
})
