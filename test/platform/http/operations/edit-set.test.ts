import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  type EditSet,
  editSetOf,
  itemsOf,
  mapItems,
  normalizeEdit,
} from '../../../../src/platform/http/operations/edit-set.ts'

type Change = ReturnType<typeof normalizeEdit<string>>

describe('normalizeEdit for the list a, b', () => {
  test.each<[string, EditSet<string, null | undefined>, Change]>([
    ['an addition, once', { add: ['c', 'c'] }, { add: ['c'], remove: [] }],
    ['a removal, of what is missing too', { remove: ['a', 'c'] }, { add: [], remove: ['a', 'c'] }],
    ['what is new and what is missing', { set: ['b', 'c'] }, { add: ['b', 'c'], remove: ['a'] }],
    ['the whole list when it is set to nothing', { set: [] }, { add: [], remove: ['a', 'b'] }],
    [
      'what is set, whatever is added and removed',
      { set: ['c'], add: ['d'], remove: ['c'] },
      { add: ['c'], remove: ['a', 'b'] },
    ],
    ['the additions when set is null', { set: null, add: ['c'] }, { add: ['c'], remove: [] }],
    ['nothing when all is there', { add: ['a'] }, null],
    ['nothing when none is there', { remove: ['c'] }, null],
    ['nothing when the list stays as it is', { set: ['b', 'a'] }, null],
    ['nothing when nothing is named', { add: [], remove: null }, null],
  ])('gives %s', (_, edit, change) => {
    expect(normalizeEdit(edit, ['a', 'b'], 'add')).toEqual(change)
    expect(normalizeEdit(edit, ['a', 'b'], 'remove')).toEqual(change)
  })

  test.each<[item: string, 'add' | 'remove', Change]>([
    ['a', 'add', null],
    ['a', 'remove', { add: [], remove: ['a'] }],
    ['c', 'add', { add: ['c'], remove: [] }],
    ['c', 'remove', null],
  ])('gives for %s, added and removed, what prevails: %s', (item, prevailing, change) => {
    expect(normalizeEdit({ add: [item], remove: [item] }, ['a', 'b'], prevailing)).toEqual(change)
  })
})

test('itemsOf returns the items of all three lists', () => {
  expect(itemsOf({ add: ['a'], remove: ['b'], set: ['c'] })).toEqual(['a', 'b', 'c'])
  expect(itemsOf({ add: null })).toEqual([])
  expect(itemsOf()).toEqual([])
})

test('mapItems leaves absent lists absent', () => {
  expect(mapItems({ add: ['1', '2'], remove: null, set: [] }, Number)).toEqual({
    add: [1, 2],
    remove: undefined,
    set: [],
  })
})

test('editSetOf drops other keys and validates each list with the given shape', () => {
  const shape = editSetOf(z.array(z.int()).optional())
  expect(shape.parse({ add: [1], delete: [2] })).toEqual({ add: [1] })
  expect(shape.safeParse({ add: 1 }).success).toBe(false)
})
