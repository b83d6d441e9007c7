import type { SQL } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import {
  allConditions,
  anyCondition,
  costOf,
  type IdList,
  idsCondition,
  isFound,
  knownCondition,
  leadersOf,
  listOf,
  notCondition,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  selectivityOf,
  type TestCost,
} from '../../../src/tracker/search/condition.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { execute } from '../../support/database/execute.ts'
import { formsOf } from '../../support/search-forms.ts'

type Truth = 1 | 0 | null

const TRUTHS: readonly Truth[] = [1, 0, null]
const PAIRS = TRUTHS.flatMap((a) => TRUTHS.map((b) => [a, b] as const))

const conditionOf = (truth: Truth, selectivity: number = SELECTIVITY.text) => {
  const value = truth === null ? sql`NULL` : sql.raw(String(truth))
  const select = sql`SELECT ${bugs.id} FROM bugs WHERE ${value}`
  const access: IdList = { kind: 'list', selectivity, select, matches: select }
  return { test: value, cost: ROW, access }
}

beforeAll(() => insertBug())

/** The truth of each form about some bug; those of an index are false where the condition is NULL. */
async function evaluateForms(condition: SearchCondition) {
  const { test, bulk, lead, candidates } = formsOf(condition)
  const truths = sql`SELECT (${test}) AS test, coalesce((${bulk}), 0) AS bulk, coalesce((${lead ?? sql`2`}), 0) AS lead,
    (bugs.id IN (${candidates ?? sql`SELECT 0`})) AS listed FROM bugs LIMIT 1`
  const [row] = await execute(truths)
  return row
}

/** What `evaluateForms` answers of a condition that an index finds. */
function formsThatAre(truth: Truth) {
  return { test: truth, bulk: truth ?? 0, lead: truth ?? 0 }
}

async function evaluate(condition: SQL | undefined): Promise<unknown> {
  const [row] = await execute(sql`SELECT (${condition ?? sql`'absent'`}) AS truth`)
  return row?.truth
}

test.each(PAIRS)('all of %s and %s follow three-valued logic in every form', async (a, b) => {
  const expected = a === 0 || b === 0 ? 0 : a === null || b === null ? null : 1
  const all = allConditions([conditionOf(a), conditionOf(b)])
  expect(await evaluateForms(all)).toMatchObject(formsThatAre(expected))
})

test.each(PAIRS)('any of %s and %s follows three-valued logic in every form', async (a, b) => {
  const expected = a === 1 || b === 1 ? 1 : a === null || b === null ? null : 0
  const any = anyCondition([conditionOf(a), conditionOf(b)])
  expect(await evaluateForms(any)).toMatchObject({
    ...formsThatAre(expected),
    listed: expected ?? 0,
  })
})

test.each(PAIRS)('a condition that is %s, known where %s, is unknown elsewhere', async (a, b) => {
  const isKnown = b === null ? sql`NULL` : sql.raw(String(b))
  const known = knownCondition(isKnown, conditionOf(a))
  const expected = b === 1 ? a : null
  expect(await evaluateForms(known)).toMatchObject({ test: expected, bulk: expected ?? 0 })
  expect((await evaluateForms(known))?.lead === 1).toBe(expected === 1)
  const negated = expected === null ? null : 1 - expected
  expect(await evaluate(notCondition(known).test)).toBe(negated)
})

test('what an index finds for a condition that may be unknown is tested', () => {
  const known = knownCondition(sql`0`, conditionOf(1))
  expect(known.access).not.toHaveProperty('matches')
  expect(knownCondition(undefined, conditionOf(1))).toEqual(conditionOf(1))
})

test('a negation turns true and false and keeps what is unknown; no index finds it', async () => {
  for (const truth of TRUTHS) {
    const negation = notCondition(conditionOf(truth))
    const expected = truth === null ? null : 1 - truth
    expect(await evaluateForms(negation)).toMatchObject({ test: expected, bulk: expected ?? 0 })
    expect(negation.access).toBeUndefined()
  }
})

test('no members are all true, and none of them is any', async () => {
  expect(await evaluate(allConditions([]).test)).toBe(1)
  expect(await evaluate(anyCondition([]).test)).toBe(0)
})

test('all conditions are led by the one that leaves the fewest bugs, any only by all', () => {
  const few = conditionOf(1, SELECTIVITY.person)
  const more = conditionOf(1, SELECTIVITY.value)
  const tested = { test: sql`1`, cost: ROW }
  expect(leadersOf([tested, more, few])).toEqual([few, more])
  const all = allConditions([tested, more, few])
  expect(isFound(all) && listOf(all).select).toBe(listOf(few).select)
  expect(selectivityOf(all)).toBe(SELECTIVITY.person)
  expect(selectivityOf(anyCondition([more, few]))).toBe(SELECTIVITY.value)
  expect(anyCondition([tested, few]).access).toBeUndefined()
})

test('all, any and the negation cost what their most costly member does, as often as all look', () => {
  const cost = costOf('texts', 'longdesc', 2)
  const costly = { test: sql`1`, cost }
  const rows = { test: sql`1`, cost: costOf('rows', 'cc') }
  const looksOf = (...costs: TestCost[]) => costs.reduce((sum, { looks }) => sum + looks, 0)
  const withRow = { ...cost, looks: looksOf(ROW, rows.cost, cost) }
  expect(allConditions([conditionOf(1), rows, costly]).cost).toEqual(withRow)
  const twice = { ...cost, looks: looksOf(cost, rows.cost, rows.cost) }
  expect(anyCondition([costly, rows, rows]).cost).toEqual(twice)
  expect(notCondition(costly).cost).toEqual(cost)
  expect(allConditions([conditionOf(1), conditionOf(0)]).cost).toEqual({
    ...ROW,
    looks: 2 * ROW.looks,
  })
})

test('the condition of IDs finds these bugs in every form', async () => {
  const [one, other] = [await insertBug(), await insertBug()]
  const { test: tested, lead, candidates } = formsOf(idsCondition([one.id]))
  const find = (condition: SQL | undefined) =>
    execute(
      sql`SELECT bugs.id FROM bugs WHERE bugs.id IN (${one.id}, ${other.id}) AND ${condition}`,
    )
  for (const condition of [tested, lead, sql`bugs.id IN (SELECT * FROM (${candidates}))`]) {
    expect(await find(condition)).toEqual([{ id: one.id }])
  }
})
