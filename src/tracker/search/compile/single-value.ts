import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import {
  type Access,
  knownCondition,
  ROW,
  type SearchCondition,
  type TestCost,
  testedCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { FieldCondition, PositiveCondition } from '../expression.ts'
import { isRowOperator, kindOf, type RowOperator } from '../operators.ts'
import type { OrderIndex } from '../order-index.ts'
import type { CompileContext } from './compile-context.ts'
import { isPronoun } from './people.ts'
import { isEquality, testSource, type ValueSource } from './value-source.ts'
import type { Operand } from './value-test.ts'

/** A field of which a bug has one value. */
export type SingleValue = {
  readonly shape: 'single'
  /**
   * The value of a row of `bugs`. `column` makes a column of the table: behind a unary plus SQLite uses no
   * index for it.
   */
  readonly source: (column: (column: SQLiteColumn) => SQL) => ValueSource
  /** How an index of `bugs` finds the value; absent when none does. */
  readonly index?: {
    readonly column: SQLiteColumn
    readonly selectivity: number
    /** The orders in which the index holds the bugs of one value. */
    readonly orders: readonly OrderIndex[]
  }
  /** How an index of another table finds all bugs that match; perhaps with others. */
  readonly textCandidates?: (operator: RowOperator, values: readonly string[]) => Access | undefined
  readonly looksAt: 'row' | 'rows'
}

/**
 * A value that is computed for each bug, and once for all words that it is compared with: the limit keeps
 * SQLite from computing it wherever it is named.
 */
export function computedValue(operand: Operand): SingleValue {
  const [columns, named] = columnsOf(operand)
  const source: ValueSource = {
    kind: 'own',
    operand: named,
    key: sql`${bugs.id}`,
    within: (test) => sql`(SELECT ${test} FROM (SELECT ${columns} LIMIT 1) x)`,
  }
  return { shape: 'single', looksAt: 'rows', source: () => source }
}

function columnsOf(operand: Operand): [columns: SQL, named: Operand] {
  return operand.kind === 'text'
    ? [
        sql`${operand.folded} AS folded, ${operand.original} AS original`,
        { ...operand, folded: sql`x.folded`, original: sql`x.original` },
      ]
    : [
        sql`${operand.value} AS value, ${operand.text} AS text`,
        { ...operand, value: sql`x.value`, text: sql`x.text` },
      ]
}

function testedColumn(column: SQLiteColumn): SQL {
  return sql`+${column}`
}

/** A column that an index of `bugs` may find. */
export function indexedColumn(column: SQLiteColumn): SQL {
  return sql`${column}`
}

/** The condition of a single value. */
export function compileSingleValue(
  { source, index, textCandidates, looksAt }: SingleValue,
  condition: PositiveCondition,
  context: CompileContext,
): SearchCondition {
  const { operator } = condition
  if (!isRowOperator(operator)) {
    return UNKNOWN_CONDITION
  }
  const test = testSource(source(testedColumn), operator, condition, context)
  if (test === null) {
    return UNKNOWN_CONDITION
  }
  const cost: TestCost = looksAt === 'row' ? ROW : { looksAt, source: condition.source }
  const known = knownCondition(
    test.isKnown,
    testedCondition(sql`coalesce((${test.condition}), 0)`, cost),
  )
  const found = textCandidates?.(operator, condition.values)
  if (found !== undefined) {
    return { ...known, access: found }
  }
  const leading = source(indexedColumn)
  const lead =
    index === undefined || test.dependsOnBug || !canLead(leading, operator)
      ? null
      : testSource(leading, operator, condition, context)
  return index === undefined || lead === null
    ? known
    : {
        ...known,
        access: {
          ...{ kind: 'range', selectivity: index.selectivity, column: index.column },
          condition: lead.condition,
          isInOrder: (order) =>
            index.orders.includes(order) && isInOrder(leading, operator, condition),
        },
      }
}

/** An index of `bugs` finds references, and values by equality or size, but no parts of values. */
function canLead(source: ValueSource, operator: RowOperator): boolean {
  return (
    source.kind !== 'own' ||
    operator === 'equals' ||
    kindOf(operator) === 'list' ||
    (kindOf(operator) === 'order' && source.operand.kind !== 'text')
  )
}

/** One value's bugs stand in the order of the index, those of several would have to be sorted. */
function isInOrder(source: ValueSource, operator: RowOperator, condition: FieldCondition): boolean {
  if (kindOf(operator) === 'order') {
    return source.kind === 'own'
  }
  return isEquality(operator, condition) && !condition.values.some(isSeveral)
}

/** Pronouns of groups and words for several statuses stand for more than one value. */
function isSeveral(value: string): boolean {
  return isPronoun(value) || value.startsWith('__')
}
