import { describe, expect, test } from 'vitest'
import { editSet } from '../../../src/bugs/edits/edit-set.ts'

describe('an edit as it comes', () => {
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
  ])('%j', (given, edit) => {
    expect(editSet(/[\s,]+/).parse(given)).toEqual(edit)
  })

  test('keeps texts whole where no separator is named', () => {
    expect(editSet().parse({ add: ['A, B'] })).toEqual({ add: ['A, B'] })
  })

  test.each(['a', ['a'], 7, { add: {} }, { add: [['a']] }])('%j is none', (given) => {
    expect(editSet().safeParse(given).success).toBe(false)
  })
})
