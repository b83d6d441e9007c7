import { describe, expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

describe('links of bugs', () => {
  test.each<[RowsReader, string, Operator, string[], string]>([
    ['anyone', 'dependson', 'equals', ['{b}'], 'a'],
    ['anyone', 'dependson', 'notequals', ['{b}'], 'bde'],
    ['anyone', 'dependson', 'equals', ['{c}'], ''],
    ['anyone', 'dependson', 'notequals', ['{c}'], 'abde'],
    ['mia', 'dependson', 'equals', ['{c}'], 'a'],
    ['mia', 'dependson', 'isempty', [], 'bde'],
    ['mia', 'dependson', 'allwords', ['{b} {c}'], 'a'],
    ['anyone', 'dependson', 'allwords', ['{b} {c}'], ''],
    ['anyone', 'dependson', 'anyexact', ['{b}', 'x'], 'a'],
    ['anyone', 'dependson', 'anyexact', ['x', 'y'], ''],
    ['anyone', 'dependson', 'equals', ['x'], ''],
    ['anyone', 'dependson', 'notequals', ['x'], ''],
    ['anyone', 'dependson', 'substring', ['{b}'], 'a'],
    ['anyone', 'dependson', 'greaterthaneq', ['{c}'], ''],
    ['mia', 'dependson', 'greaterthaneq', ['{c}'], 'ac'],
    ['anyone', 'blocked', 'equals', ['{a}'], 'b'],
    ['anyone', 'blocked', 'isempty', [], 'ade'],
    ['mia', 'blocked', 'isempty', [], 'ad'],
    ['mia', 'blocked', 'equals', ['{c}'], 'e'],
    ['anyone', 'regressed_by', 'equals', ['{a}'], 'b'],
    ['anyone', 'regressed_by', 'isnotempty', [], 'b'],
    ['mia', 'regressed_by', 'isnotempty', [], 'ab'],
    ['anyone', 'regresses', 'equals', ['{b}'], 'a'],
    ['mia', 'regresses', 'equals', ['{a}'], 'c'],
    ['anyone', 'duplicates', 'equals', ['{e}'], 'a'],
    ['anyone', 'duplicates', 'notequals', ['{e}'], 'bde'],
    ['anyone', 'duplicates', 'isempty', [], 'bde'],
    ['mia', 'duplicates', 'isempty', [], 'cde'],
    ['mia', 'duplicates', 'equals', ['{c}'], 'b'],
    ['anyone', 'see_also', 'equals', ['https://else.test/Ü,1'], 'a'],
    ['anyone', 'see_also', 'allwordssubstr', ['ELSE ü'], 'a'],
    ['anyone', 'see_also', 'substring', ['here.test'], ''],
    ['anyone', 'see_also', 'isempty', [], 'bde'],
    ['mia', 'see_also', 'isempty', [], 'cde'],
    ['mia', 'see_also', 'substring', ['here.test'], 'ab'],
    ['anyone', 'see_also', 'notsubstring', ['here.test'], 'abde'],
  ])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
    expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
  })

  test('one link meets all conditions of a group', async () => {
    const found = await world.find('mia', {
      kind: 'sameRow',
      members: [
        { condition: world.condition('dependson', 'greaterthan', '{b}'), isNegated: false },
        { condition: world.condition('dependson', 'equals', '{c}'), isNegated: true },
      ],
    })
    expect(found).toBe('c')
  })
})
