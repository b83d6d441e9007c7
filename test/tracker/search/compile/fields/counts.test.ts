import { expect, test } from 'vitest'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

test.each<[RowsReader, string, Operator, string[], string]>([
  ['alice', 'attachments.count', 'equals', ['1'], 'a'],
  ['ines', 'attachments.count', 'equals', ['2'], 'a'],
  ['ines', 'attachments.count', 'isempty', [], 'bde'],
  ['anyone', 'attachments.count', 'lessthan', ['1'], 'bde'],
  ['anyone', 'cc_count', 'equals', ['2'], 'a'],
  ['anyone', 'cc_count', 'anyexact', ['1', '2', 'x'], 'ab'],
  ['anyone', 'cc_count', 'notequals', ['x'], ''],
  ['anyone', 'keywords.count', 'greaterthaneq', ['1'], 'ab'],
  ['anyone', 'keywords.count', 'substring', ['2'], 'a'],
  ['anyone', 'see_also_count', 'equals', ['1'], 'a'],
  ['mia', 'see_also_count', 'equals', ['2'], 'a'],
  ['anyone', 'dependson.count', 'equals', ['1'], 'a'],
  ['mia', 'dependson.count', 'equals', ['2'], 'a'],
  ['anyone', 'blocked.count', 'notequals', ['0'], 'b'],
  ['mia', 'blocked.count', 'notequals', ['0'], 'bce'],
  ['anyone', 'regressed_by.count', 'isnotempty', [], 'b'],
  ['mia', 'regressed_by.count', 'isnotempty', [], 'ab'],
  ['mia', 'regresses.count', 'equals', ['1'], 'ac'],
  ['anyone', 'dupe_count', 'equals', ['1'], 'a'],
  ['mia', 'dupe_count', 'equals', ['1'], 'ab'],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
