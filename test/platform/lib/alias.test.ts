import { expect, test } from 'vitest'
import { presentAlias } from '../../../src/platform/lib/alias.ts'

test.each([
  ['lamp', false, 'lamp'],
  ['', false, null],
  [null, false, null],
  ['lamp', true, ['lamp']],
  ['', true, []],
  [null, true, []],
])('the alias %j, as a list: %j, is %j', (alias, asList, expected) => {
  expect(presentAlias(alias, asList)).toEqual(expected)
})
