import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../../../src/platform/access/caller.ts'
import { sql } from '../../../../src/platform/db/sql.ts'
import { isEquality, testSource } from '../../../../src/tracker/search/compile/value-source.ts'
import type { RowOperator } from '../../../../src/tracker/search/operators.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildCondition } from '../../../support/search/find-in-all-forms.ts'
import { buildCompileContext } from '../../../support/search-forms.ts'

const NAMED = {
  kind: 'named' as const,
  reference: sql`2`,
  from: sql`(SELECT 1 AS id, 'one' AS name UNION ALL SELECT 2, 'two') n`,
  id: sql`n.id`,
  operand: { kind: 'text' as const, folded: sql`n.name`, original: sql`n.name` },
  special: (value: string) => (value === '__second__' ? sql`n.id = 2` : undefined),
}

async function holds(
  source: Parameters<typeof testSource>[0],
  operator: RowOperator,
  values: string[],
) {
  const condition = buildCondition('field', operator, ...values)
  const test = testSource(source, operator, condition, buildCompileContext(ANONYMOUS))
  const [row] = test === null ? [] : await execute(sql`SELECT (${test.condition}) AS truth`)
  return row?.truth ?? null
}

test.each<[RowOperator, string[], number | null]>([
  ['equals', ['TWO'], 1],
  ['equals', ['one'], 0],
  ['equals', ['__second__'], 1],
  ['anyexact', ['one', '__second__'], 1],
  ['anyexact', ['one', 'three'], 0],
  ['substring', ['w'], 1],
  ['substring', ['__second__'], 0],
  ['anywords', [' , '], null],
  ['regexp', ['.'], null],
])('a name %s %j is %s, with a meaning of its own for whole names alone', async (...row) => {
  const [operator, values, expected] = row
  expect(await holds(NAMED, operator, values)).toBe(expected)
  expect(await holds({ ...NAMED, isUnique: true }, operator, values)).toBe(expected)
})

test('names that do not belong to the field are no names of it', async () => {
  expect(await holds({ ...NAMED, where: sql`n.id = 1` }, 'equals', ['two'])).toBe(0)
})

test('a value of the row is tested where it has its meaning', async () => {
  const own = {
    kind: 'own' as const,
    operand: { kind: 'number' as const, value: sql`x.n`, text: sql`CAST(x.n AS TEXT)` },
    key: sql`1`,
    within: (test: ReturnType<typeof sql>) => sql`(SELECT ${test} FROM (SELECT 7 AS n) x)`,
  }
  expect(await holds(own, 'greaterthan', ['6'])).toBe(1)
  expect(await holds(own, 'equals', ['6'])).toBe(0)
  expect(await holds(own, 'equals', ['six'])).toBe(null)
})

test.each<[RowOperator, string[], boolean]>([
  ['equals', ['a'], true],
  ['anyexact', ['a'], true],
  ['anyexact', ['a', 'b'], false],
  ['equals', ['__open__'], false],
  ['substring', ['a'], false],
])('whether %s %j asks for one value: %s', (operator, values, expected) => {
  expect(isEquality(operator, buildCondition('field', operator, ...values))).toBe(expected)
})
