import { expect, test } from 'vitest'
import { toDatetime } from '../../../../../src/platform/lib/time.ts'
import type { Operator } from '../../../../../src/tracker/search/operators.ts'
import { NOW } from '../../../../support/builders/unique.ts'
import { buildRowsWorld, type RowsReader } from '../../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

const ago = (seconds: number) => toDatetime(NOW - seconds)

test.each<[RowsReader, string, Operator, string[], string]>([
  ['alice', 'last_visit_ts', 'lessthan', ['%last_changed%'], 'a'],
  ['alice', 'last_visit_ts', 'equals', ['%last_changed%'], 'b'],
  ['alice', 'last_visit_ts', 'notequals', ['%last_changed%'], 'ade'],
  ['alice', 'last_visit_ts', 'greaterthan', ['-1h'], 'b'],
  ['alice', 'last_visit_ts', 'lessthan', ['-1h'], 'a'],
  ['alice', 'last_visit_ts', 'anyexact', ['%last_changed%', ago(7200)], 'ab'],
  ['alice', 'last_visit_ts', 'anyexact', ['never', ago(7200)], 'a'],
  ['alice', 'last_visit_ts', 'isempty', [], 'de'],
  ['alice', 'last_visit_ts', 'equals', ['never'], ''],
  ['alice', 'last_visit_ts', 'notequals', ['never'], ''],
  ['ines', 'last_visit_ts', 'isempty', [], 'abde'],
  ['anyone', 'last_visit_ts', 'isempty', [], ''],
  ['anyone', 'last_visit_ts', 'isnotempty', [], ''],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
