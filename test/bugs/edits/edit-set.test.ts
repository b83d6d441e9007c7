import { describe, expect, test } from 'vitest'
import { editSet, itemsOf, normalizeEdit } from '../../../src/bugs/edits/edit-set.ts'

describe('an edit of a list comes down to', () => {
  test.each<
    [string, Parameters<typeof normalizeEdit<string>>[0], ReturnType<typeof normalizeEdit<string>>]
  >([
    ['an addition', { add: ['c', 'c'] }, { add: ['c'], remove: [] }],
    ['a removal', { remove: ['a', 'c'] }, { add: [], remove: ['a', 'c'] }],
    ['a removal of what is added, too', { add: ['a'], remove: ['a'] }, { add: [], remove: ['a'] }],
    ['what is new and what is missing', { set: ['b', 'c'] }, { add: ['b', 'c'], remove: ['a'] }],
    ['the whole list, when it is emptied', { set: [] }, { add: [], remove: ['a', 'b'] }],
    [
      'what is set, whatever else is said',
      { set: ['c'], add: ['d'], remove: ['c'] },
      {
        add: ['c'],
        remove: ['a', 'b'],
      },
    ],
    ['nothing, when it is there', { add: ['a'] }, null],
    ['nothing, when it is not there', { remove: ['c'] }, null],
    ['nothing, when it stays as it is', { set: ['b', 'a'] }, null],
    ['nothing, when nothing is named', { add: [] }, null],
  ])('%s', (_, edit, change) => {
    expect(normalizeEdit(edit, ['a', 'b'])).toEqual(change)
  })
})

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

  test('names items in three places', () => {
    expect(itemsOf({ add: ['a'], remove: ['b'], set: ['c'] })).toEqual(['a', 'b', 'c'])
    expect(itemsOf()).toEqual([])
  })
})
