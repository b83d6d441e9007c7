import { beforeAll, expect, test } from 'vitest'
import { toDatetime } from '../../../../src/lib/time.ts'
import type { Operator } from '../../../../src/search/operators.ts'
import { NOW } from '../../../support/builders/unique.ts'
import {
  buildRowsWorld,
  type RowsReader,
  type RowsWorld,
} from '../../../support/worlds/rows-world.ts'

let world: RowsWorld

beforeAll(async () => {
  world = await buildRowsWorld()
})

const ago = (seconds: number) => toDatetime(NOW - seconds)

test.each<[RowsReader, string, Operator, string[], string]>([
  ['anyone', 'owner_idle_time', 'lessthan', [ago(75)], ''],
  ['ines', 'owner_idle_time', 'lessthan', [ago(75)], 'a'],
  ['alice', 'owner_idle_time', 'lessthan', [ago(75)], ''],
  ['mia', 'owner_idle_time', 'lessthan', [ago(75)], 'b'],
  ['anyone', 'owner_idle_time', 'lessthaneq', [ago(101)], 'b'],
  ['anyone', 'owner_idle_time', 'greaterthan', [ago(101)], 'ade'],
  ['ines', 'owner_idle_time', 'greaterthaneq', [ago(75)], 'bde'],
  ['anyone', 'owner_idle_time', 'greaterthan', ['never'], ''],
])('%s, with %s %s %j, finds "%s"', async (reader, field, operator, values, letters) => {
  expect(await world.find(reader, world.condition(field, operator, ...values))).toBe(letters)
})
