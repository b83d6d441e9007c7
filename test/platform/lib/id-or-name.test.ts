import { describe, expect, test } from 'vitest'
import {
  isDigits,
  orderAsNamed,
  parseId,
  parseIdOrName,
  separateIds,
  uniteWithPath,
} from '../../../src/platform/lib/id-or-name.ts'

describe('parseIdOrName', () => {
  test.each([
    ['digits', '123', 123, '123', '123'],
    ['white space around digits', ' \t12\n', 12, '12', '12'],
    ['leading zeros', '007', 7, '007', '007'],
    ['zero', '0', 0, '0', '0'],
    ['15 digits', '999999999999999', 999_999_999_999_999, '999999999999999', '999999999999999'],
    ['16 digits', '1000000000000000', null, '1000000000000000', '1000000000000000'],
    ['a name', ' Core ', null, 'Core', 'core'],
    ['a number with a sign', '-1', null, '-1', '-1'],
    ['a fraction', '1.5', null, '1.5', '1.5'],
    ['an exponent', '1e3', null, '1e3', '1e3'],
    ['digits of another script', '١٢', null, '١٢', '١٢'],
    ['digits with a space between', '1 2', null, '1 2', '1 2'],
    ['nothing', '  ', null, '', ''],
  ])('reads %s', (_, text, id, name, nameFold) => {
    expect(parseIdOrName(text)).toEqual({ id, name, nameFold })
    expect(parseId(text)).toBe(id)
  })
})

test.each([
  ['1', true],
  [' 0 ', true],
  ['12345678901234567890', true],
  ['', false],
  ['1a', false],
  ['+1', false],
])('isDigits(%j) is %s', (text, expected) => {
  expect(isDigits(text)).toBe(expected)
})

test('separateIds keeps the order of the IDs and that of the names', () => {
  expect(separateIds(['b', ' 2 ', 'A ', '1'])).toEqual({ ids: [2, 1], names: ['b', 'A'] })
})

describe('uniteWithPath', () => {
  test.each([
    ['nothing for nothing', {}, { ids: [], names: [], pathIsName: false }],
    [
      'a path of digits before the IDs',
      { id_or_name: ' 3 ', ids: [1] },
      { ids: [3, 1], names: [], pathIsName: false },
    ],
    [
      'any other path before the names, all of them trimmed',
      { id_or_name: ' Core', ids: [1], names: [' x ', '7'] },
      { ids: [1], names: ['Core', 'x', '7'], pathIsName: true },
    ],
    [
      'a blank path as a name that nothing has',
      { id_or_name: ' ' },
      { ids: [], names: [''], pathIsName: true },
    ],
  ])('gives %s', (_, input, expected) => {
    expect(uniteWithPath(input)).toEqual(expected)
  })
})

describe('orderAsNamed', () => {
  const rows = [
    { id: 1, name: 'One' },
    { id: 2, name: 'Two' },
    { id: 3, name: '3' },
  ]

  test.each([
    ['a path of digits is an ID', { id_or_name: '2' }, [2]],
    ['any other path is a name, in either case', { id_or_name: ' oNE ' }, [1]],
    ['a name of digits is found among the names', { names: ['3', 'two'] }, [3, 2]],
    ['the path stands first', { id_or_name: 'two', ids: [3, 2], names: ['one'] }, [2, 3, 1]],
    ['IDs stand before names', { ids: [3], names: ['one', 'two'] }, [3, 1, 2]],
    ['each stands once', { id_or_name: '1', ids: [1, 2], names: ['TWO', 'one'] }, [1, 2]],
    ['what is not found is left out', { ids: [9, 1], names: ['nine'] }, [1]],
  ])('%s', (_, input, found) => {
    expect(orderAsNamed(uniteWithPath(input), rows).map(({ id }) => id)).toEqual(found)
  })
})
