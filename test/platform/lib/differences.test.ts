import { describe, expect, test } from 'vitest'
import { diffFields, diffFromNothing } from '../../../src/platform/lib/differences.ts'

describe('diffFields', () => {
  test('returns only the fields whose values differ', () => {
    const before = { name: 'old', sort_key: 1, is_active: true }
    expect(diffFields(before, { ...before, name: 'new' })).toEqual({
      name: { removed: 'old', added: 'new' },
    })
    expect(diffFields(before, before)).toEqual({})
  })

  test.each([
    [true, false, '1', '0'],
    [false, true, '0', '1'],
    [-5, 12, '-5', '12'],
    [null, 'x', '', 'x'],
    ['x', null, 'x', ''],
  ])('returns the change from %j to %j as the texts %j and %j', (from, to, removed, added) => {
    expect(
      diffFields<Record<string, string | number | boolean | null>>({ f: from }, { f: to }),
    ).toEqual({ f: { removed, added } })
  })

  test('treats null and the empty text as equal', () => {
    expect(diffFields<Record<string, string | null>>({ f: null }, { f: '' })).toEqual({})
  })
})

describe('diffFromNothing', () => {
  test('returns every field as added, with empty texts as removed', () => {
    expect(diffFromNothing({ name: 'new', is_active: false, sort_key: 0 })).toEqual({
      name: { removed: '', added: 'new' },
      is_active: { removed: '', added: '0' },
      sort_key: { removed: '', added: '0' },
    })
  })
})
