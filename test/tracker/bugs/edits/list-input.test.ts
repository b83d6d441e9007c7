import { describe, expect, test } from 'vitest'
import { editSet } from '../../../../src/tracker/bugs/edits/list-input.ts'

describe('the input of an edit', () => {
  test.each<[unknown, object | undefined]>([
    [{ add: 'a, b' }, { add: ['a', 'b'] }],
    [
      { add: ['a b', 'c'], remove: 7 },
      { add: ['a', 'b', 'c'], remove: ['7'] },
    ],
    [{ set: [] }, { set: [] }],
    [{ set: '' }, { set: [] }],
    [{ set: null, add: ['a'] }, { add: ['a'] }],
    [{ add: ' , ' }, { add: [] }],
    [{ add: [] }, undefined],
    [null, undefined],
  ])('is parsed from %j', (input, edit) => {
    expect(editSet(/[\s,]+/).parse(input)).toEqual(edit)
  })

  test('keeps strings whole without a separator', () => {
    expect(editSet().parse({ add: ['A, B'] })).toEqual({ add: ['A, B'] })
  })

  test.each(['a', ['a'], 7, { add: {} }, { add: [['a']] }])('is rejected as %j', (input) => {
    expect(editSet().safeParse(input).success).toBe(false)
  })
})
