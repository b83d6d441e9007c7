import { describe, expect, it } from 'vitest'
import { inNaturalOrder } from '../../src/lib/natural-order.ts'

describe('natural order', () => {
  it.each([
    ['numbers compare as numbers', ['2.0', '10.0', '100']],
    ['every run of digits counts', ['1.2.9', '1.2.10', '1.10.1']],
    ['the shorter of two equal beginnings is first', ['1', '1.0', '1.0.1']],
    ['digits stand before letters', ['1.0', 'trunk', 'unspecified']],
    ['case does not count', ['alpha 2', 'Alpha 10', 'beta', 'Gamma']],
    ['letters after a number count', ['1.0', '1.0a1', '1.0a2', '1.0b1']],
    ['zeros in front do not make a number larger', ['9', '010', '11']],
    [
      'numbers longer than a double are told apart',
      ['build 12345678901234567890', 'build 12345678901234567891'],
    ],
    ['digits of any width are digits', ['2', '１０', '11']],
    ['nothing at all is first', ['', '---', '0']],
  ])('%s', (_, sorted) => {
    const items = sorted.map((name) => ({ name }))
    const names = (given: { name: string }[]) => inNaturalOrder(given).map(({ name }) => name)

    expect(names(items)).toEqual(sorted)
    expect(names([...items].reverse())).toEqual(sorted)
  })

  it('gives names that differ only in case or zeros the same order every time', () => {
    const given = ['1.0A', '1.0a', '01.0a'].map((name) => ({ name }))

    expect(inNaturalOrder(given)).toEqual(inNaturalOrder([...given].reverse()))
  })
})
