import { describe, expect, test } from 'vitest'
import { sql } from '../../../../src/platform/db/sql.ts'
import { numberOperand } from '../../../../src/tracker/search/compile/operand.ts'
import { selectivityFor } from '../../../../src/tracker/search/compile/row-values.ts'
import type { RowCondition } from '../../../../src/tracker/search/expression.ts'
import type { Operator, RowOperator } from '../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

describe('words in fields with several values', () => {
  test.each<[string, Operator, string, string]>([
    // apart: each keyword has one of the words
    ['keywords', 'allwordssubstr', 'rash eave', 'a'],
    ['keywords', 'allwords', 'crash open', 'a'],
    ['keywords', 'allwords', 'crash nothing', ''],
    // together: no person, no comment has both
    ['cc', 'allwordssubstr', '{alice} {bob}', ''],
    ['cc', 'allwordssubstr', '{alice} example', 'a'],
    ['keywords', 'allwords', ' , ', ''],
  ])('%s %s "%s"', async (field, operator, words, expected) => {
    expect(await world.find('anyone', world.condition(field, operator, words))).toBe(expected)
  })
})

describe('conditions on the same row', () => {
  const find = (reader: RowsReader, ...members: [string, Operator, string, boolean?][]) =>
    world.find(reader, {
      kind: 'sameRow',
      members: members.map(
        ([field, operator, value, isNegated = false]): RowCondition => ({
          condition: world.condition(field, operator, value),
          isNegated,
        }),
      ),
    })

  test('are met by one row together', async () => {
    expect(await find('anyone', ['cc', 'equals', '{alice}'], ['cc', 'substring', 'example'])).toBe(
      'a',
    )
    expect(await find('anyone', ['cc', 'equals', '{alice}'], ['cc', 'equals', '{bob}'])).toBe('')
    expect(
      await find(
        'anyone',
        ['keywords', 'substring', 'crash'],
        ['keywords', 'substring', 'leave-open'],
      ),
    ).toBe('')
  })

  test('are negated within the row, by operators and by themselves', async () => {
    expect(await find('anyone', ['cc', 'substring', 'example'], ['cc', 'notequals', '{bob}'])).toBe(
      'a',
    )
    expect(
      await find('anyone', ['cc', 'substring', 'example'], ['cc', 'equals', '{bob}', true]),
    ).toBe('a')
    expect(await find('anyone', ['cc', 'notequals', '{alice}', true])).toBe('a')
    expect(await find('anyone', ['cc', 'notequals', '{alice}'])).toBe('ab')
  })

  test('are unknown together when one is, also in the negation', async () => {
    const unknown: [string, Operator, string] = ['cc', 'equals', '%what%']
    expect(await find('anyone', ['cc', 'equals', '{bob}'], unknown)).toBe('')
    expect(await find('anyone', ['cc', 'equals', '{bob}'], [...unknown, true])).toBe('')
    expect(
      await find('ines', ['cc', 'equals', '{bob}'], ['cc', 'notequals', '%group.{group}%']),
    ).toBe('')
    expect(
      await find('mia', ['cc', 'equals', '{bob}'], ['cc', 'notequals', '%group.{group}%']),
    ).toBe('ab')
  })
})

test('an index of whole values serves equality and regular expressions, but no parts', () => {
  const [person, own] = [sql`person`, { operand: numberOperand(sql`id`), key: sql`id` }]
  const ofEquality = (operator: RowOperator) =>
    selectivityFor({ source: { kind: 'own', ...own }, selectivity: 3 }, operator)
  const ofValues = (operator: RowOperator) =>
    selectivityFor({ source: { kind: 'person', person }, selectivity: 3 }, operator)
  expect((['equals', 'anyexact', 'regexp'] as const).map(ofEquality)).toEqual([3, 3, 3])
  expect((['substring', 'anywords', 'lessthan'] as const).map(ofEquality)).toEqual([
    undefined,
    undefined,
    undefined,
  ])
  expect((['substring', 'anywords', 'regexp'] as const).map(ofValues)).toEqual([3, 3, 3])
  expect((['isnotempty', 'lessthan'] as const).map(ofValues)).toEqual([undefined, undefined])
})
