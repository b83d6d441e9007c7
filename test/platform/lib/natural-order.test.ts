import { describe, expect, test } from 'vitest'
import { sortInNaturalOrder } from '../../../src/platform/lib/natural-order.ts'

describe('sortInNaturalOrder', () => {
  test.each([
    ['numbers by their value', ['2.0', '10.0', '100']],
    ['every run of digits by its value', ['1.2.9', '1.2.10', '1.10.1']],
    ['a prefix ahead of the longer name', ['1', '1.0', '1.0.1']],
    ['digits ahead of letters', ['1.0', 'trunk', 'unspecified']],
    ['letters regardless of case', ['alpha 2', 'Alpha 10', 'beta', 'Gamma']],
    ['letters behind a number', ['1.0', '1.0a1', '1.0a2', '1.0b1']],
    ['numbers regardless of leading zeros', ['9', '010', '11']],
    [
      'numbers with more digits than a double holds',
      ['build 12345678901234567890', 'build 12345678901234567891'],
    ],
    ['fullwidth digits as digits', ['2', '１０', '11']],
    ['the empty name first', ['', '---', '0']],
  ])('sorts %s', (_, sorted) => {
    const items = sorted.map((name) => ({ name }))
    const namesOf = (unsorted: { name: string }[]) =>
      sortInNaturalOrder(unsorted).map(({ name }) => name)

    expect(namesOf(items)).toEqual(sorted)
    expect(namesOf([...items].reverse())).toEqual(sorted)
  })

  test('sorts names that differ only in case or zeros independently of their order', () => {
    const items = ['1.0A', '1.0a', '01.0a'].map((name) => ({ name }))

    expect(sortInNaturalOrder(items)).toEqual(sortInNaturalOrder([...items].reverse()))
  })
})
