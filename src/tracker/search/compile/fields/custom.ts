import type { SQL } from 'drizzle-orm'
import type { Caller } from '../../../../platform/access/caller.ts'
import { visibleBugCondition } from '../../../../platform/access/visibility.ts'
import { bugs, customValues } from '../../../../platform/db/schema/bugs.ts'
import { FIELD_TYPE, fieldValues } from '../../../../platform/db/schema/fields.ts'
import { aliasColumns, jsonList, sql } from '../../../../platform/db/sql.ts'
import { fold } from '../../../../platform/lib/text.ts'
import { SELECTIVITY } from '../../condition.ts'
import type { CompileContext } from '../../context.ts'
import { comparesWhole, kindOfOperator, type RowOperator } from '../../operators.ts'
import {
  comparableOf,
  type DateOperand,
  dayOperand,
  type NumberOperand,
  numberOperand,
  type TextOperand,
  textOperand,
  timeOperand,
} from '../operand.ts'
import type { RowValues } from '../row-values.ts'
import { computedValue, type SingleValue } from '../single-value.ts'
import { namedSource } from '../value-source.ts'
import { testValue } from '../value-test.ts'

const c = aliasColumns(customValues, 'c')
const v = aliasColumns(fieldValues, 'v')
const other = aliasColumns(bugs, 'other')

/** What a bug without a choice has in a field where it can have one. */
const NO_CHOICE = '---'

type CustomField = { readonly id: number; readonly type: number }

/** A custom field, by its type. */
export function customField(
  field: CustomField,
  { caller, now }: CompileContext,
): SingleValue | RowValues {
  switch (field.type) {
    case FIELD_TYPE.single:
      return oneChoice(field)
    case FIELD_TYPE.multi:
      return severalChoices(field)
    case FIELD_TYPE.datetime:
      return withNumberIndex(field, timeOf, now)
    case FIELD_TYPE.integer:
      return withNumberIndex(field, integerOf, now)
    case FIELD_TYPE.bugId:
      return withNumberIndex(field, integerOf, now, bugOf(field, caller))
    case FIELD_TYPE.date:
      return computedValue(dayOperand(storedValue(field, c.text)))
    default:
      return computedValue(textOf(field))
  }
}

/** The value of a field that holds one, unless it is a choice; NULL for nothing. */
function storedValue({ id }: CustomField, column: SQL): SQL {
  return sql`(SELECT ${column} FROM custom_values c
    WHERE ${c.bugId} = ${bugs.id} AND ${c.fieldId} = ${id} AND ${c.valueId} IS NULL)`
}

function textOf(field: CustomField): TextOperand {
  const text = (column: SQL) => sql`coalesce(${storedValue(field, column)}, '')`
  return textOperand(text(c.textFold), text(c.text))
}

function timeOf(seconds: SQL): DateOperand {
  return {
    ...timeOperand(seconds),
    value: sql`coalesce(${seconds}, 0)`,
    isSet: sql`${seconds} IS NOT NULL`,
  }
}

function integerOf(number: SQL): NumberOperand {
  const value = sql`coalesce(${number}, 0)`
  return {
    ...numberOperand(sql`CAST(${value} AS INTEGER)`),
    value,
    isSet: sql`${number} IS NOT NULL`,
  }
}

/** The bug that a field holds, if the caller sees it. */
function bugOf({ id }: CustomField, caller: Caller): SQL {
  return sql`(SELECT ${other.id} FROM custom_values c JOIN bugs other ON ${other.id} = ${c.number}
    WHERE ${c.bugId} = ${bugs.id} AND ${c.fieldId} = ${id} AND ${c.valueId} IS NULL
      AND ${visibleBugCondition(caller, 'other')})`
}

/** The index has the bugs with a value alone, so that it serves what no unset value matches. */
function withNumberIndex(
  field: CustomField,
  operandOf: (number: SQL) => NumberOperand | DateOperand,
  now: number,
  number = storedValue(field, c.number),
): SingleValue {
  return {
    ...computedValue(operandOf(number)),
    textCandidates: (operator, values) => {
      const operand = { ...operandOf(c.number), value: c.number }
      const isServed = values.every((value) => {
        const comparable = comparableOf(operand, value, now)
        return comparable === null || excludesUnset(operator, Number(comparable))
      })
      const test =
        isServed &&
        operator !== 'regexp' &&
        ['text', 'list', 'order'].includes(kindOfOperator(operator))
          ? testValue(operand, operator, values, now)
          : null
      return test === null
        ? undefined
        : {
            kind: 'list',
            selectivity: SELECTIVITY.text,
            select: sql`SELECT ${c.bugId} FROM custom_values c
              WHERE ${c.fieldId} = ${field.id} AND ${c.number} IS NOT NULL AND ${test}`,
          }
    },
  }
}

function excludesUnset(operator: RowOperator, value: number): boolean {
  switch (operator) {
    case 'equals':
    case 'anyexact':
      return value !== 0
    case 'greaterthan':
      return value >= 0
    case 'greaterthaneq':
      return value > 0
    default:
      return false
  }
}

/** A bug without a choice has one with the ID 0. */
function oneChoice({ id }: CustomField): SingleValue {
  const choice = sql`coalesce((SELECT ${c.valueId} FROM custom_values c
    WHERE ${c.bugId} = ${bugs.id} AND ${c.fieldId} = ${id} AND ${c.valueId} IS NOT NULL), 0)`
  const operand = { ...textOperand(sql`one.folded`, sql`one.shown`), unset: NO_CHOICE }
  return {
    shape: 'single',
    looksAt: 'rows',
    source: () => ({
      kind: 'named',
      reference: choice,
      from: sql`(SELECT 0 AS choice, ${NO_CHOICE} AS shown, ${NO_CHOICE} AS folded UNION ALL
        SELECT ${v.id}, ${v.name}, ${v.nameFold} FROM field_values v WHERE ${v.fieldId} = ${id}) one`,
      id: sql`one.choice`,
      operand,
    }),
    textCandidates: (operator, values) =>
      comparesWhole(operator) && !values.includes(NO_CHOICE)
        ? {
            kind: 'list',
            selectivity: SELECTIVITY.text,
            select: sql`SELECT ${c.bugId} FROM custom_values c WHERE ${c.valueId} IN (
              SELECT ${v.id} FROM field_values v WHERE ${v.fieldId} = ${id}
                AND ${v.nameFold} IN ${jsonList(values.map(fold))})`,
          }
        : undefined,
  }
}

function severalChoices({ id }: CustomField): RowValues {
  return {
    shape: 'rows',
    from: sql`custom_values c`,
    bugId: c.bugId,
    visible: sql`${c.fieldId} = ${id} AND ${c.valueId} IS NOT NULL`,
    source: {
      ...namedSource(c.valueId, sql`field_values v`, v),
      where: sql`${v.fieldId} = ${id}`,
      isUnique: true,
    },
    selectivity: SELECTIVITY.keyword,
  }
}
