import { expect, test } from 'vitest'
import { SINGLE_VALUE_FIELDS } from '../../../../src/tracker/search/compile/single-value-fields.ts'
import { buildRowsWorld } from '../../../support/worlds/rows-world.ts'

const world = await buildRowsWorld()

/** The values of texts, numbers, times and people alike: a field may take or refuse each. */
const VALUES = ['12', '2025-06-01', 'CONFIRMED', '{alice}', '---']

test.each(Object.keys(SINGLE_VALUE_FIELDS))(
  '%s agrees in all forms, equal to and empty',
  async (field) => {
    for (const value of VALUES) {
      const equal = await world.find('ines', world.condition(field, 'equals', value))
      const unequal = await world.find('ines', world.condition(field, 'notequals', value))
      // both are nothing for a value that cannot be read
      expect(['abde', '']).toContain([...equal, ...unequal].toSorted().join(''))
    }
    const empty = await world.find('ines', world.condition(field, 'isempty'))
    const filled = await world.find('ines', world.condition(field, 'isnotempty'))
    expect([...empty, ...filled].toSorted().join('')).toBe('abde')
  },
)

test.each([
  ['bug_id', '{a}', 'a'],
  ['bug_status', '__OPEN__', 'abde'],
  ['bug_status', '__closed__', ''],
  ['resolution', '---', 'abde'],
  ['reporter', '{bob}', 'ab'],
  ['dup_id', '{a}', 'e'],
  ['triage_owner', '{alice}', ''],
])('%s equals %s', async (field, value, expected) => {
  expect(await world.find('anyone', world.condition(field, 'equals', value))).toBe(expected)
})
