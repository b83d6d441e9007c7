import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import {
  numberOperand,
  type Operand,
  parseNumber,
  textOperand,
  timeOperand,
} from '../../../../src/tracker/search/compile/operand.ts'
import {
  testValue,
  type ValueOperator,
  wordsOf,
} from '../../../../src/tracker/search/compile/value-test.ts'
import { execute } from '../../../support/database/execute.ts'

/** Wednesday. */
const NOW = Date.UTC(2025, 5, 18, 12) / 1000

function text(value: string): Operand {
  return textOperand(sql`(SELECT ${value.toLowerCase()})`, sql`(SELECT ${value})`)
}

/** Parameters are no integers in D1, so that its text is given. */
function number(value: number): Operand {
  return { ...numberOperand(sql`(SELECT ${value})`), text: sql`(SELECT ${String(value)})` }
}

function date(value: number, isDay = false): Operand {
  return { ...timeOperand(sql`(SELECT ${value})`), ...(isDay && { isDay }) }
}

async function holds(operand: Operand, operator: ValueOperator, values: string[]) {
  const condition = testValue(operand, operator, values, NOW)
  if (condition === null) {
    return null
  }
  const [row] = await execute(sql`SELECT ${condition} AS found`)
  return row?.found === 1
}

describe('a text', () => {
  test.each<[string, ValueOperator, string[], boolean | null]>([
    ['Crash Report', 'equals', ['crash report'], true],
    ['Crash Report', 'equals', ['crash'], false],
    ['Crash', 'anyexact', ['x', 'CRASH'], true],
    ['Crash', 'anyexact', ['x', 'y'], false],
    ['100% of_it', 'substring', ['0% OF_'], true],
    ['100 of it', 'substring', ['0%'], false],
    ['Crash', 'casesubstring', ['Cra'], true],
    ['Crash', 'casesubstring', ['cra'], false],
    ['one two three', 'allwordssubstr', ['hree, on'], true],
    ['one two three', 'allwordssubstr', ['hree four'], false],
    ['one two three', 'anywordssubstr', ['four wo'], true],
    ['one two three', 'allwords', ['two one'], true],
    ['one two three', 'allwords', ['two on'], false],
    ['one two three', 'anywords', ['thre, one'], true],
    ['one', 'anywords', [' , '], null],
    ['b', 'lessthan', ['B'], false],
    ['b', 'lessthaneq', ['B'], true],
    ['b', 'greaterthan', ['a'], true],
    ['b', 'greaterthaneq', ['c'], false],
    ['', 'lessthan', ['a'], true],
    ['x', 'isnotempty', [], true],
    ['', 'isnotempty', [], false],
  ])('%j %s %j: %s', async (given, operator, values, expected) => {
    expect(await holds(text(given), operator, values)).toBe(expected)
  })
})

describe('a number', () => {
  test.each<[number, ValueOperator, string[], boolean | null]>([
    [12, 'equals', ['12'], true],
    [12, 'equals', ['12.0'], true],
    [12, 'equals', ['twelve'], null],
    [12, 'anyexact', ['x', '12'], true],
    [12, 'anyexact', ['x', 'y'], null],
    [12, 'lessthan', ['112'], true],
    [12, 'greaterthan', ['9'], true],
    [12, 'greaterthaneq', ['x'], null],
    [112, 'substring', ['12'], true],
    [112, 'allwords', ['12'], false],
    [0, 'isnotempty', [], false],
    [3, 'isnotempty', [], true],
  ])('%d %s %j: %s', async (value, operator, values, expected) => {
    expect(await holds(number(value), operator, values)).toBe(expected)
  })

  test.each([
    ['12', 12],
    ['+1.5', 1.5],
    ['-3', -3],
    ['', null],
    ['1e3', null],
    ['0x1', null],
    ['1.', null],
    ['NaN', null],
    ['9'.repeat(16), null],
  ])('is parsed from %j as %s', (text, expected) => {
    expect(parseNumber(text)).toBe(expected)
  })
})

describe('a date', () => {
  const morning = Date.UTC(2025, 5, 17, 9) / 1000
  test.each<[number, ValueOperator, string[], boolean | null]>([
    [morning, 'equals', ['2025-06-17 09:00'], true],
    [morning, 'equals', ['2025-06-17'], false],
    [morning, 'greaterthan', ['2025-06-17'], true],
    [morning, 'lessthan', ['2025-06-18T00:00:00Z'], true],
    [morning, 'greaterthan', ['-1d'], false],
    [morning, 'greaterthaneq', ['-2d'], true],
    [morning, 'greaterthan', ['yesterday'], null],
    [morning, 'greaterthan', ['2025-02-30'], null],
    [morning, 'anyexact', ['soon', '2025-06-17 09:00:00'], true],
    [morning, 'substring', ['06-17 09'], true],
    [0, 'isnotempty', [], false],
    [0, 'lessthan', ['2000-01-01'], true],
  ])('%d %s %j: %s', async (value, operator, values, expected) => {
    expect(await holds(date(value), operator, values)).toBe(expected)
  })

  test.each<[ValueOperator, string, boolean]>([
    ['lessthaneq', '-1d', true],
    ['lessthan', '-1d', false],
    ['equals', '2025-06-17 23:59', true],
  ])(
    'that is a day counts as its start, like the time that it is compared with: %s %s',
    async (operator, value, expected) => {
      const day = Date.UTC(2025, 5, 17) / 1000
      expect(await holds(date(day, true), operator, [value])).toBe(expected)
    },
  )
})

test.each([
  [['a b,c'], ['a', 'b', 'c']],
  [[' , '], []],
  [
    ['a', 'b c'],
    ['a', 'b', 'c'],
  ],
])('the words of %j are %j', (values, expected) => {
  expect(wordsOf(values)).toEqual(expected)
})
