import { expect, test } from 'vitest'
import {
  findNumbered,
  firstText,
  isOn,
  readGiven,
  textsOf,
} from '../../../../src/tracker/search/parameters/given.ts'

const given = readGiven({ Product: [' a ', ''], product: ['b'], f10: ['x'], f9: ['y'], fx: ['z'] })

test('names are read in any case, values without the blanks around them', () => {
  expect(given.get('product')).toEqual(['a', '', 'b'])
  expect(textsOf(given, 'product')).toEqual(['a', 'b'])
  expect([firstText(given, 'product'), firstText(given, 'absent')]).toEqual(['a', ''])
})

test.each([
  [undefined, false],
  [[''], false],
  [['0'], false],
  [['False'], false],
  [['1'], true],
  [['true'], true],
  [['True'], true],
  [['on'], true],
])('a flag is set unless it is absent, blank, 0 or false: %j', (values, expected) => {
  expect(isOn(readGiven({ n1: values }), 'n1')).toBe(expected)
})

test('numbered names come in the order of their numbers, not of their letters', () => {
  expect(findNumbered(given, /^f(\d+)$/).map(({ end }) => end)).toEqual(['9', '10'])
  const cells = readGiven({ 'c1-0': ['x'], 'c0-10': ['x'], 'c0-9': ['x'] })
  expect(findNumbered(cells, /^c(\d+-\d+)$/).map(({ numbers }) => numbers)).toEqual([
    [0, 9],
    [0, 10],
    [1, 0],
  ])
})

test('names that objects have anyway are no parameters', () => {
  expect(textsOf(readGiven({}), 'constructor')).toEqual([])
})
