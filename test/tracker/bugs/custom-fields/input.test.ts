import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import {
  choicesIn,
  parseCustomInput,
  parseNewCustomInput,
} from '../../../../src/tracker/bugs/custom-fields/input.ts'

describe('the custom fields of an input', () => {
  test('are the keys that begin with cf_ in any case, as lists of strings', () => {
    expect(
      parseCustomInput({
        cf_A: 'x',
        cf_b: [1, null, 'y'],
        cf_c: null,
        cf_d: true,
        summary: 'z',
        cf_: 1,
      }),
    ).toEqual({ cf_a: ['x'], cf_b: ['1', 'y'], cf_c: [], cf_d: ['true'] })
  })

  test('clear a field when they are null, and are absent from a new bug', () => {
    expect(parseCustomInput({ cf_a: null })).toEqual({ cf_a: [] })
    expect(parseNewCustomInput({ cf_a: null, cf_b: '' })).toEqual({ cf_b: [''] })
  })

  test.each([{ cf_a: {} }, { cf_a: [['x']] }])('are rejected in the form %j', (input) => {
    expect(() => parseCustomInput(input)).toThrow(Fault)
  })
})

test.each([
  [['a, b'], ['a', 'b']],
  [
    ['a, b', 'c'],
    ['a, b', 'c'],
  ],
  [[' ', 'c'], ['c']],
  [[], []],
])('the values %j name the choices %j', (texts, names) => {
  expect(choicesIn(texts)).toEqual(names)
})
