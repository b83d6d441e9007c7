import { expect, test } from 'vitest'
import { ANONYMOUS } from '../../../../src/platform/access/caller.ts'
import { bugs } from '../../../../src/platform/db/schema/bugs.ts'
import { sql } from '../../../../src/platform/db/sql.ts'
import { computedValue } from '../../../../src/tracker/search/compile/single-value.ts'
import type { OrderIndex } from '../../../../src/tracker/search/condition.ts'
import type { Operator } from '../../../../src/tracker/search/operators.ts'
import { insertBug, updateBugRow } from '../../../support/builders/bugs.ts'
import { uniqueName } from '../../../support/builders/unique.ts'
import { execute } from '../../../support/database/execute.ts'
import { buildCondition } from '../../../support/search/find-in-all-forms.ts'
import {
  buildCompileContext,
  compileSearch,
  findByAllForms,
} from '../../../support/search-forms.ts'

const ids: number[] = [(await insertBug()).id, (await insertBug()).id]
const alias = uniqueName('Alias-')
await updateBugRow(ids[0] ?? 0, { alias, alias_fold: alias.toLowerCase() })

test.each<[Operator, string, number[]]>([
  ['equals', '{alias}', [0]],
  ['notequals', '{alias}', [1]],
  ['anyexact', '{alias}', [0]],
  ['substring', 'lias-', [0]],
  ['notsubstring', 'lias-', [1]],
  ['casesubstring', 'Alias-', [0]],
  ['casesubstring', 'alias-', []],
  ['isempty', '', [1]],
  ['isnotempty', '', [0]],
  ['lessthan', 'a', [1]],
  ['greaterthan', 'a', [0]],
])('no alias is an empty text that no index has: %s "%s"', async (operator, value, expected) => {
  const condition = buildCondition('alias', operator, value.replace('{alias}', alias))
  const found = await findByAllForms(condition, buildCompileContext(ANONYMOUS), ids)
  expect(found.map((id) => ids.indexOf(id))).toEqual(expected)
})

test.each<[string, Operator, string[], boolean]>([
  ['bug_id', 'equals', ['1'], true],
  ['bug_id', 'greaterthan', ['1'], true],
  ['bug_id', 'substring', ['1'], false],
  ['bug_id', 'notequals', ['1'], false],
  ['assigned_to', 'equals', ['a@b.test'], true],
  ['assigned_to', 'equals', ['%reporter%'], false],
  ['alias', 'lessthan', ['b'], false],
  ['deadline', 'equals', ['2025-06-01'], false],
])('whether an index leads %s %s %j: %s', (field, operator, values, expected) => {
  const context = buildCompileContext(ANONYMOUS)
  const { access } = compileSearch(buildCondition(field, operator, ...values), context)
  expect(access !== undefined).toBe(expected)
})

test.each<[Operator, string[], boolean]>([
  ['equals', ['CONFIRMED'], true],
  ['equals', ['__open__'], false],
  ['anyexact', ['CONFIRMED', 'NEW'], false],
])('the bugs of one value stand in order: bug_status %s %j: %s', (operator, values, expected) => {
  const condition = buildCondition('bug_status', operator, ...values)
  const { access } = compileSearch(condition, buildCompileContext(ANONYMOUS))
  const isInOrder = (order: OrderIndex) => access?.kind === 'range' && access.isInOrder(order)
  expect([bugs.id, bugs.changedAt].map(isInOrder)).toEqual([expected, false])
})

test('a value is computed once for all words', async () => {
  const { source } = computedValue({ kind: 'text', folded: sql`'a b'`, original: sql`'A b'` })
  const made = source((column) => sql`${column}`)
  const within = made.kind === 'own' ? made.within : undefined
  const inner = made.kind === 'own' && made.operand.kind === 'text' ? made.operand : undefined
  const [row] = await execute(
    sql`SELECT ${within?.(sql`${inner?.folded} = 'a b' AND ${inner?.original} = 'A b'`)} AS truth`,
  )
  expect(row).toEqual({ truth: 1 })
})
