import { describe, expect, test } from 'vitest'
import { beginnings, differences } from '../../src/lib/differences.ts'

describe('differences', () => {
  test('are told of the fields that changed alone', () => {
    const before = { name: 'old', sort_key: 1, is_active: true }
    expect(differences(before, { ...before, name: 'new' })).toEqual({
      name: { removed: 'old', added: 'new' },
    })
    expect(differences(before, before)).toEqual({})
  })

  test.each([
    [true, false, '1', '0'],
    [false, true, '0', '1'],
    [-5, 12, '-5', '12'],
    [null, 'x', '', 'x'],
    ['x', null, 'x', ''],
  ])('write %j and %j as the texts %j and %j', (from, to, removed, added) => {
    expect(
      differences<Record<string, string | number | boolean | null>>({ f: from }, { f: to }),
    ).toEqual({ f: { removed, added } })
  })

  test('take nothing and the empty text for one', () => {
    expect(differences<Record<string, string | null>>({ f: null }, { f: '' })).toEqual({})
  })

  test('from nothing name every field', () => {
    expect(beginnings({ name: 'new', is_active: false, sort_key: 0 })).toEqual({
      name: { removed: '', added: 'new' },
      is_active: { removed: '', added: '0' },
      sort_key: { removed: '', added: '0' },
    })
  })
})
