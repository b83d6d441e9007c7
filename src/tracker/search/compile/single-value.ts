import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { compile } from '../../../platform/db/compile.ts'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { sql } from '../../../platform/db/sql.ts'
import {
  costOf,
  type IdList,
  knownCondition,
  type OrderIndex,
  type SearchCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { FieldCondition, PositiveCondition } from '../expression.ts'
import { comparesWhole, isRowOperator, kindOfOperator, type RowOperator } from '../operators.ts'
import type { Operand } from './operand.ts'
import { isEquality, isPronoun, testSource, type ValueSource } from './value-source.ts'
import { countLooks } from './value-test.ts'

/** Names a column of `bugs` in SQL, so that an index may serve it or none does. */
type Column = (column: SQLiteColumn) => SQL

/** A field of which a bug has one value. */
export type SingleValue = {
  readonly shape: 'single'
  /**
   * The value of a row of `bugs`. `column` makes a column of the table: behind a unary plus SQLite uses no
   * index for it.
   */
  readonly source: (column: Column) => ValueSource
  /** How an index of `bugs` finds the value; absent when none does. */
  readonly index?: {
    readonly column: SQLiteColumn
    readonly selectivity: number
    /** The orders in which the index holds the bugs of one value. */
    readonly orders: readonly OrderIndex[]
  }
  /** How an index of another table finds all bugs that match; perhaps with others. */
  readonly textCandidates?: (operator: RowOperator, values: readonly string[]) => IdList | undefined
  readonly looksAt: 'row' | 'count' | 'rows'
}

/**
 * A value that is computed for each bug, and once for all words that it is compared with: the limit keeps
 * SQLite from computing it wherever it is named. Only what the comparison names is computed.
 */
export function computedValue(
  operand: Operand,
  looksAt: SingleValue['looksAt'] = 'rows',
): SingleValue {
  const columns = columnsOf(operand)
  const named = Object.fromEntries(columns.map(([name]) => [name, sql.raw(`x.${name}`)]))
  const within = (test: SQL) => {
    const text = compile(test).sql
    const computed = columns.filter(([name]) => text.includes(`x.${name}`))
    const selected = computed.map(([name, value]) => sql`${value} AS ${sql.raw(name)}`)
    return computed.length === 0
      ? test
      : sql`(SELECT ${test} FROM (SELECT ${sql.join(selected, sql`, `)} LIMIT 1) x)`
  }
  return {
    ...singleField(() => ({ ...ownValue({ ...operand, ...named } as Operand), within })),
    looksAt,
  }
}

function columnsOf(operand: Operand): [name: string, value: SQL][] {
  return operand.kind === 'text'
    ? [
        ['folded', operand.folded],
        ['original', operand.original],
      ]
    : [
        ['value', operand.value],
        ['text', operand.text],
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
  const cost = costOf(looksAt, condition.source, countLooks(condition))
  const known = knownCondition(test.isKnown, { test: sql`coalesce((${test.condition}), 0)`, cost })
  const found = textCandidates?.(operator, condition.values)
  if (found !== undefined) {
    return { ...known, access: found }
  }
  const leading = source(indexedColumn)
  if (index === undefined || test.dependsOnBug || !canLead(leading, operator)) {
    return known
  }
  const lead = testSource(leading, operator, condition, context) ?? test
  const { column, selectivity, orders } = index
  return {
    ...known,
    access: {
      kind: 'range',
      column,
      selectivity,
      condition: lead.condition,
      isInOrder: (order) => orders.includes(order) && isInOrder(leading, operator, condition),
    },
  }
}

/** An index of `bugs` finds references, and values by equality or size, but no parts of values. */
function canLead(source: ValueSource, operator: RowOperator): boolean {
  return (
    source.kind !== 'own' ||
    comparesWhole(operator) ||
    (kindOfOperator(operator) === 'order' && source.operand.kind !== 'text')
  )
}

/** One value's bugs stand in the order of the index, those of several would have to be sorted. */
function isInOrder(source: ValueSource, operator: RowOperator, condition: FieldCondition): boolean {
  return kindOfOperator(operator) === 'order'
    ? source.kind === 'own'
    : // a pronoun may stand for the members of a group
      isEquality(operator, condition) && !condition.values.some(isPronoun)
}

/** A field with one value, in the row of the bug or in what that row refers to. */
export function singleField(
  source: (column: Column) => ValueSource,
  index?: SingleValue['index'],
): SingleValue {
  return { shape: 'single', looksAt: 'row', source, ...(index && { index }) }
}

/** A value in the row of the bug. */
export function rowField(operand: Operand): SingleValue {
  return singleField(() => ownValue(operand))
}

export function ownValue(operand: Operand) {
  return { kind: 'own', operand, key: sql`${bugs.id}` } as const
}
