import { beforeAll, expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import {
  buildRowsWorld,
  type RowsReader,
  type RowsWorld,
} from '../../../../support/worlds/rows-world.ts'

let world: RowsWorld

beforeAll(async () => {
  world = await buildRowsWorld()
})

test.each<[RowsReader, string, Operator, string[], string]>([
  ['anyone', '{freeText}', 'allwords', ['Words SOME'], 'a'],
  ['anyone', '{freeText}', 'notequals', ['some words'], 'bde'],
  ['anyone', '{freeText}', 'isempty', [], 'bde'],
  ['anyone', '{largeText}', 'substring', ['MORE'], 'b'],
  ['anyone', '{largeText}', 'isnotempty', [], 'b'],
  ['anyone', '{single}', 'equals', ['ALPHA'], 'a'],
  ['anyone', '{single}', 'notequals', ['alpha'], 'bde'],
  ['anyone', '{single}', 'equals', ['---'], 'de'],
  ['anyone', '{single}', 'anyexact', ['---', 'beta 2'], 'bde'],
  ['anyone', '{single}', 'isempty', [], 'de'],
  ['anyone', '{single}', 'substring', ['a'], 'ab'],
  ['anyone', '{single}', 'lessthan', ['alpha'], 'de'],
  ['anyone', '{multi}', 'equals', ['beta 2'], 'ab'],
  ['anyone', '{multi}', 'allwords', ['alpha 2'], 'a'],
  ['anyone', '{multi}', 'nowords', ['alpha'], 'bde'],
  ['anyone', '{multi}', 'isempty', [], 'de'],
  ['anyone', '{multi}', 'equals', ['gamma'], ''],
  ['anyone', '{datetime}', 'equals', ['2025-06-01 12:00'], 'a'],
  ['anyone', '{datetime}', 'greaterthan', ['2025-06-01'], 'ab'],
  ['anyone', '{datetime}', 'lessthan', ['2025-06-02'], 'ade'],
  ['anyone', '{datetime}', 'substring', ['12:00:00'], 'a'],
  ['anyone', '{datetime}', 'isempty', [], 'de'],
  ['anyone', '{datetime}', 'notequals', ['never'], ''],
  ['anyone', '{date}', 'equals', ['2025-06-01 17:00'], 'a'],
  ['anyone', '{date}', 'greaterthan', ['2025-05-31'], 'a'],
  ['anyone', '{date}', 'lessthan', ['2025-06-01'], 'bde'],
  ['anyone', '{date}', 'isempty', [], 'bde'],
  ['anyone', '{integer}', 'equals', ['12'], 'a'],
  ['anyone', '{integer}', 'equals', ['0'], 'de'],
  ['anyone', '{integer}', 'anyexact', ['12', '0'], 'ade'],
  ['anyone', '{integer}', 'anyexact', ['12', '-3', 'x'], 'ab'],
  ['anyone', '{integer}', 'greaterthan', ['0'], 'a'],
  ['anyone', '{integer}', 'greaterthan', ['-1'], 'ade'],
  ['anyone', '{integer}', 'lessthan', ['0'], 'b'],
  ['anyone', '{integer}', 'substring', ['2'], 'a'],
  ['anyone', '{integer}', 'isempty', [], 'de'],
  ['anyone', '{integer}', 'notequals', ['x'], ''],
  ['anyone', '{bugId}', 'equals', ['{b}'], 'a'],
  ['anyone', '{bugId}', 'equals', ['{c}'], ''],
  ['mia', '{bugId}', 'equals', ['{c}'], 'e'],
  ['anyone', '{bugId}', 'isempty', [], 'bde'],
  ['mia', '{bugId}', 'isempty', [], 'bcd'],
  ['anyone', '{bugId}', 'greaterthan', ['{b}'], ''],
  ['mia', '{bugId}', 'greaterthan', ['{b}'], 'e'],
  ['anyone', 'cf_unknown', 'isempty', [], ''],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
