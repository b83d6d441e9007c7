import { describe, expect, test } from 'vitest'
import { BoundedCache } from '../../../src/platform/lib/bounded-cache.ts'

function makeCache(maxEntries: number) {
  const made: string[] = []
  const cache = new BoundedCache<{ key: string }>(maxEntries)
  const get = (key: string) =>
    cache.getOrMake(key, () => {
      made.push(key)
      return { key }
    })
  return { made, get }
}

describe('a bounded cache', () => {
  test('makes the value of a text once and returns the same one each time', () => {
    const { made, get } = makeCache(2)
    const first = get('a')
    expect(first).toEqual({ key: 'a' })
    expect(get('a')).toBe(first)
    expect(get('b')).toEqual({ key: 'b' })
    expect(made).toEqual(['a', 'b'])
  })

  test('begins anew when it would hold too many', () => {
    const { made, get } = makeCache(2)
    for (const key of ['a', 'b', 'c', 'c', 'a', 'b']) {
      get(key)
    }
    expect(made).toEqual(['a', 'b', 'c', 'a', 'b'])
  })

  test('keeps nothing when a value cannot be made', () => {
    const cache = new BoundedCache<string>(2)
    const fail = () => {
      throw new Error('broken')
    }
    expect(() => cache.getOrMake('a', fail)).toThrow('broken')
    expect(cache.getOrMake('a', () => 'made')).toBe('made')
  })
})
