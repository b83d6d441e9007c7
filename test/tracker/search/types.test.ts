import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { expectTypeOf, test } from 'vitest'
import type { FieldMakers } from '../../../src/tracker/search/compile/compile.ts'
import type { SingleValue } from '../../../src/tracker/search/compile/single-value.ts'
import type { ValueOperator } from '../../../src/tracker/search/compile/value-test.ts'
import type { Access, TestCost } from '../../../src/tracker/search/condition.ts'
import type { PositiveCondition } from '../../../src/tracker/search/expression.ts'
import type {
  ChangeOperator,
  Operator,
  PositiveOperator,
  RowOperator,
} from '../../../src/tracker/search/operators.ts'
import type { FieldsWith, OnlyFields } from '../../../src/tracker/search/search-fields.ts'

// tsc checks what these claim: an operator without a meaning ends a switch without a value

test('an access path without what it is made of does not compile', () => {
  type Some = { selectivity: number; condition: SQL }
  // no orders in which an index holds the bugs, no table of a stream, no alternatives
  expectTypeOf<Some & { kind: 'range'; column: SQLiteColumn }>().not.toMatchTypeOf<Access>()
  type List = Some & { kind: 'list'; select: SQL }
  expectTypeOf<List & { stream: { id: SQL } }>().not.toMatchTypeOf<Access>()
  expectTypeOf<Some & { kind: 'union'; select: SQL }>().not.toMatchTypeOf<Access>()
  expectTypeOf<Some & { kind: 'list' }>().not.toMatchTypeOf<Access>()
})

test('a cost beyond the row says which criterion asks for it', () => {
  expectTypeOf<{ looksAt: 'changes' }>().not.toMatchTypeOf<TestCost>()
})

test('a search field without a row does not compile', () => {
  expectTypeOf<Omit<FieldMakers, 'alias'>>().not.toMatchTypeOf<FieldMakers>()
})

test('what a bug has in a field that no row of the catalogue has does not compile', () => {
  type Made = () => SingleValue
  expectTypeOf<{ alias: Made }>().toMatchTypeOf<FieldsWith<SingleValue>>()
  expectTypeOf<{ alais: Made }>().not.toMatchTypeOf<FieldsWith<SingleValue>>()
  type Spread = FieldMakers & { alais: Made }
  expectTypeOf<FieldMakers>().toMatchTypeOf<OnlyFields<FieldMakers>>()
  expectTypeOf<Spread>().not.toMatchTypeOf<OnlyFields<Spread>>()
})

test('what is compiled has no operators that negate others', () => {
  expectTypeOf<'notequals'>().not.toMatchTypeOf<PositiveCondition['operator']>()
  expectTypeOf<Operator>().not.toMatchTypeOf<PositiveOperator>()
})

test('values are not compared by operators about changes, words in all texts, or patterns', () => {
  expectTypeOf<Extract<ValueOperator, 'changedto' | 'matches' | 'regexp'>>().toBeNever()
})

test('words in all texts are compared in one way, so that another one does not compile unseen', () => {
  expectTypeOf<Exclude<PositiveOperator, RowOperator | ChangeOperator>>().toEqualTypeOf<'matches'>()
})
