import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fields, fieldValues } from '../../../platform/db/schema/fields.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { SELECTIVITY } from '../condition.ts'
import type { OrderIndex } from '../order-index.ts'
import { computedValue, type SingleValue } from './single-value.ts'
import type { ValueSource } from './value-source.ts'
import type { DateOperand, NumberOperand, TextOperand } from './value-test.ts'

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
