import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import {
  type Access,
  knownCondition,
  type OrderIndex,
  ROW,
  SELECTIVITY,
  type SearchCondition,
  type TestCost,
  testedCondition,
  UNKNOWN_CONDITION,
} from '../condition.ts'
import type { CompileContext } from '../context.ts'
import type { FieldCondition, PositiveCondition } from '../expression.ts'
import { isRowOperator, kindOf, type RowOperator } from '../operators.ts'
import { isEquality, isPronoun, testSource, type ValueSource } from './value-source.ts'
import type { DateOperand, NumberOperand, Operand, TextOperand } from './value-test.ts'

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

const v = aliasColumns(fieldValues, 'v')

/** Names a column of `bugs` in SQL, so that an index may serve it or none does. */
export type Column = (column: SQLiteColumn) => SQL
/** How the index of a column finds values. */
export type Index = Omit<NonNullable<SingleValue['index']>, 'column'>

export const BY_ID: readonly OrderIndex[] = [bugs.id]

/** A field with one value; `index` is about `column`. */
export function singleField(source: (column: Column) => ValueSource): SingleValue
export function singleField(
  source: (column: Column) => ValueSource,
  column: SQLiteColumn,
  index?: Index,
): SingleValue
export function singleField(
  source: (column: Column) => ValueSource,
  column?: SQLiteColumn,
  index?: Index,
): SingleValue {
  return {
    shape: 'single',
    looksAt: 'row',
    source,
    ...(column && index && { index: { ...index, column } }),
  }
}

/** A text with its folded companion; the empty text for NULL. */
export function textField(folded: SQLiteColumn, original: SQLiteColumn): SingleValue {
  const operand: TextOperand = {
    kind: 'text',
    folded: sql`coalesce(${folded}, '')`,
    original: sql`coalesce(${original}, '')`,
  }
  return singleField(() => ({ kind: 'own', operand, key: sql`${bugs.id}` }))
}

/** A number in the row of the bug; an index is the one of IDs. */
export function numberField(value: (column: Column) => SQL, index?: Index): SingleValue {
  const operand = (column: Column): NumberOperand => ({
    kind: 'number',
    value: value(column),
    text: sql`CAST(${value(column)} AS TEXT)`,
  })
  return singleField(
    (column) => ({ kind: 'own', operand: operand(column), key: sql`${bugs.id}` }),
    bugs.id,
    index,
  )
}

/** A number that is computed for each bug. */
export function computedNumberField(value: SQL): SingleValue {
  return computedValue({ kind: 'number', value, text: sql`CAST(${value} AS TEXT)` })
}

/** Hours as numbers, and as texts with two digits. */
export function hoursField(value: SQL): SingleValue {
  const operand: NumberOperand = { kind: 'number', value, text: sql`printf('%.2f', ${value})` }
  return singleField(() => ({ kind: 'own', operand, key: sql`${bugs.id}` }))
}

/** A moment in Unix seconds, which an index holds. */
export function timeField(column: OrderIndex): SingleValue {
  const operand = (value: SQL): DateOperand => ({
    kind: 'date',
    value,
    text: sql`strftime('%Y-%m-%d %H:%M:%S', ${value}, 'unixepoch')`,
  })
  return singleField(
    (reference) => ({ kind: 'own', operand: operand(reference(column)), key: sql`${bugs.id}` }),
    column,
    { selectivity: SELECTIVITY.time, orders: [column] },
  )
}

/** A day that is stored as `YYYY-MM-DD`, or NULL. */
export function dayOperand(column: SQL): DateOperand {
  return {
    kind: 'date',
    value: sql`coalesce(unixepoch(${column}), 0)`,
    text: sql`coalesce(${column} || ' 00:00:00', '')`,
    isDay: true,
  }
}

/** A day without a time. */
export function dayField(column: SQL): SingleValue {
  return singleField(() => ({ kind: 'own', operand: dayOperand(column), key: sql`${bugs.id}` }))
}

type NameTable = { readonly id: SQL; readonly name: SQL; readonly nameFold: SQL }

/** A reference to something with a name, such as a version. */
export function namedField(
  column: SQLiteColumn,
  from: SQL,
  table: NameTable,
  index?: Index,
): SingleValue {
  return singleField(
    (reference) => ({
      kind: 'named',
      reference: reference(column),
      from,
      id: table.id,
      operand: { kind: 'text', folded: table.nameFold, original: table.name },
      isUnique: column === bugs.productId,
    }),
    column,
    index,
  )
}

/** A reference to a value of a select field. */
export function choiceField(
  column: SQLiteColumn,
  field: string,
  index?: Index,
  special?: (value: string) => SQL | undefined,
): SingleValue {
  return singleField(
    (reference) => ({
      ...choiceSource(reference(column), field),
      ...(special && { special }),
    }),
    column,
    index,
  )
}

/** A value of a select field. */
function choiceSource(reference: SQL, field: string): ValueSource & { readonly kind: 'named' } {
  return {
    kind: 'named',
    reference,
    from: sql`field_values v`,
    id: sql`${v.id}`,
    where: sql`${v.fieldId} = (SELECT ${fields.id} FROM fields WHERE ${fields.name} = ${sql.raw(`'${field}'`)})`,
    operand: { kind: 'text', folded: v.nameFold, original: v.name },
    isUnique: true,
  }
}

/** A reference to a person. */
export function personField(column: SQLiteColumn): SingleValue {
  return singleField((reference) => ({ kind: 'person', person: reference(column) }), column, {
    selectivity: SELECTIVITY.person,
    orders: BY_ID,
  })
}
