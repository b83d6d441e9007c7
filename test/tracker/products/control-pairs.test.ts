import { describe, expect, test } from 'vitest'
import {
  CONTROLS,
  isLegalPair,
  parseControl,
  presentControl,
} from '../../../src/tracker/products/control-pairs.ts'

/** Controls of everybody else that go with a control of members. */
const LEGAL = {
  NA: ['NA'],
  SHOWN: ['NA', 'SHOWN', 'DEFAULT', 'MANDATORY'],
  DEFAULT: ['NA', 'DEFAULT', 'MANDATORY'],
  MANDATORY: ['MANDATORY'],
}

const pairs = CONTROLS.flatMap((member) => CONTROLS.map((other) => ({ member, other })))

test.each(pairs)('$member for members with $other for others', ({ member, other }) => {
  expect(isLegalPair(member, other)).toBe(LEGAL[member].includes(other))
})

describe('a control', () => {
  test('is known by its name in any case, and by its number', () => {
    expect(parseControl(' mandatory ')).toBe('MANDATORY')
    expect(CONTROLS.map((control) => parseControl(control))).toEqual([...CONTROLS])
    expect([0, 1, 2, 3].map(presentControl)).toEqual([...CONTROLS])
  })

  test.each(['', 'none', '3'])('is not called %j', (name) => {
    expect(parseControl(name)).toBeUndefined()
  })
})
