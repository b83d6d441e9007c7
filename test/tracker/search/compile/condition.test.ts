import type { SQL } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import {
  allConditions,
  anyCondition,
  idsCondition,
  knownCondition,
  leadersOf,
  notCondition,
  SELECTIVITY,
  testedCondition,
  unionOf,
} from '../../../../src/tracker/search/compile/condition.ts'
import { insertBug } from '../../../support/builders/bugs.ts'
import { execute } from '../../../support/database/execute.ts'

type Truth = 1 | 0 | null

const TRUTHS: readonly Truth[] = [1, 0, null]
const PAIRS = TRUTHS.flatMap((a) => TRUTHS.map((b) => [a, b] as const))

const conditionOf = (truth: Truth) => {
  const value = truth === null ? sql`NULL` : sql.raw(String(truth))
  return {
    test: value,
    bulkTest: value,
    lead: value,
    candidates: sql`SELECT 1 WHERE ${value}`,
    selectivity: SELECTIVITY.text,
  }
}

async function evaluate(condition: SQL | undefined): Promise<unknown> {
  const [row] = await execute(sql`SELECT (${condition ?? sql`'absent'`}) AS truth`)
  return row?.truth
}

test.each(PAIRS)('all of %s and %s follow three-valued logic in every form', async (a, b) => {
  const expected = a === 0 || b === 0 ? 0 : a === null || b === null ? null : 1
  const all = allConditions([conditionOf(a), conditionOf(b)])
  expect([await evaluate(all.test), await evaluate(all.bulkTest)]).toEqual([expected, expected])
  expect(await evaluate(all.lead)).toBe(expected)
})

test.each(PAIRS)('any of %s and %s follows three-valued logic in every form', async (a, b) => {
  const expected = a === 1 || b === 1 ? 1 : a === null || b === null ? null : 0
  const any = anyCondition([conditionOf(a), conditionOf(b)])
  expect([await evaluate(any.test), await evaluate(any.bulkTest)]).toEqual([expected, expected])
  expect(await evaluate(any.lead)).toBe(expected)
  const found = await execute(sql`SELECT * FROM (${any.candidates})`)
  expect(found).toHaveLength([a, b].filter((truth) => truth === 1).length)
})

test.each(PAIRS)('a condition that is %s, known where %s, is unknown elsewhere', async (a, b) => {
  const isKnown = b === null ? sql`NULL` : sql.raw(String(b))
  const known = knownCondition(isKnown, conditionOf(a))
  const expected = b === 1 ? a : null
  expect([await evaluate(known.test), await evaluate(known.bulkTest)]).toEqual([expected, expected])
  expect((await evaluate(known.lead)) === 1).toBe(expected === 1)
  const negated = expected === null ? null : 1 - expected
  expect(await evaluate(notCondition(known).test)).toBe(negated)
})

test('candidates of a condition that may be unknown are not exact, so that each is tested', () => {
  const exact = { ...conditionOf(1), candidates: sql`SELECT 1`, isExact: true }
  expect(knownCondition(sql`0`, exact).isExact).toBe(false)
  expect(knownCondition(undefined, exact).isExact).toBe(true)
})

test('a negation turns true and false and keeps what is unknown; no index finds it', async () => {
  for (const truth of TRUTHS) {
    const negation = notCondition(conditionOf(truth))
    const expected = truth === null ? null : 1 - truth
    expect(await evaluate(negation.test)).toBe(expected)
    expect(await evaluate(negation.bulkTest)).toBe(expected)
    expect([negation.lead, negation.candidates]).toEqual([undefined, undefined])
  }
})

test('no members are all true, and none of them is any', async () => {
  expect(await evaluate(allConditions([]).test)).toBe(1)
  expect(await evaluate(anyCondition([]).test)).toBe(0)
})

test('all conditions are led by the one that leaves the fewest bugs, any only by all', () => {
  const few = { ...conditionOf(1), candidates: sql`SELECT 7`, selectivity: SELECTIVITY.person }
  const more = { ...conditionOf(1), selectivity: SELECTIVITY.value }
  const tested = testedCondition(sql`1`)
  expect(leadersOf([tested, more, few])).toEqual([few, more])
  expect(allConditions([tested, more, few])).toMatchObject({
    candidates: few.candidates,
    selectivity: SELECTIVITY.person,
  })
  const any = anyCondition([tested, few])
  expect([any.lead, any.candidates, any.selectivity]).toEqual([
    undefined,
    undefined,
    SELECTIVITY.many,
  ])
})

test('a costly member makes all, any and the negation costly', () => {
  const costly = { ...testedCondition(sql`1`), costlySource: 'longdesc' }
  for (const condition of [
    allConditions([conditionOf(1), costly]),
    anyCondition([conditionOf(1), costly]),
    notCondition(costly),
  ]) {
    expect(condition.costlySource).toBe('longdesc')
  }
  expect(allConditions([conditionOf(1), conditionOf(0)]).costlySource).toBeUndefined()
})

test('the condition of IDs finds these bugs in every form', async () => {
  const [one, other] = [await insertBug(), await insertBug()]
  const { test: tested, lead, candidates } = idsCondition([one.id])
  const find = (condition: SQL | undefined) =>
    execute(
      sql`SELECT bugs.id FROM bugs WHERE bugs.id IN (${one.id}, ${other.id}) AND ${condition}`,
    )
  for (const condition of [
    tested,
    lead,
    sql`bugs.id IN (SELECT * FROM (SELECT value FROM ${candidates}))`,
  ]) {
    expect(await find(condition)).toEqual([{ id: one.id }])
  }
})

test.each([0, 1, 5, 6, 26, 130])('a union of %i selects has the rows of all', async (count) => {
  const selects = Array.from({ length: count }, (_, n) => sql`SELECT ${sql.raw(String(n))} AS n`)
  const rows = await execute(sql`SELECT * FROM (${unionOf(selects)})`)
  const values = rows.map((row) => Number(Object.values(row)[0])).toSorted((a, b) => a - b)
  expect(values).toEqual(Array.from({ length: count }, (_, n) => n))
})
