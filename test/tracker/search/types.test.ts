import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { expectTypeOf, test } from 'vitest'
import type { FieldMakers } from '../../../src/tracker/search/compile/compile.ts'
import type { ValueOperator } from '../../../src/tracker/search/compile/value-test.ts'
import type { Access, TestCost } from '../../../src/tracker/search/condition.ts'
import type { PositiveCondition } from '../../../src/tracker/search/expression.ts'
import type { Operator, PositiveOperator } from '../../../src/tracker/search/operators.ts'

// tsc checks what these claim: an operator without a meaning ends a switch without a value

test('an access path without what it is made of does not compile', () => {
  type Some = { selectivity: number; condition: SQL }
  // no orders in which an index holds the bugs, no table of a stream, no alternatives
  expectTypeOf<Some & { kind: 'range'; column: SQLiteColumn }>().not.toMatchTypeOf<Access>()
  expectTypeOf<Some & { kind: 'stream'; id: SQL }>().not.toMatchTypeOf<Access>()
  expectTypeOf<Some & { kind: 'union'; select: SQL }>().not.toMatchTypeOf<Access>()
  expectTypeOf<Some & { kind: 'list' }>().not.toMatchTypeOf<Access>()
})

test('a cost beyond the row says which criterion asks for it', () => {
  expectTypeOf<{ looksAt: 'changes' }>().not.toMatchTypeOf<TestCost>()
})

test('a search field without a row does not compile', () => {
  expectTypeOf<Omit<FieldMakers, 'alias'>>().not.toMatchTypeOf<FieldMakers>()
})

test('what is compiled has no operators that negate others', () => {
  expectTypeOf<'notequals'>().not.toMatchTypeOf<PositiveCondition['operator']>()
  expectTypeOf<Operator>().not.toMatchTypeOf<PositiveOperator>()
})

test('values are not compared by operators about changes, words in all texts, or patterns', () => {
  expectTypeOf<Extract<ValueOperator, 'changedto' | 'matches' | 'regexp'>>().toBeNever()
})
