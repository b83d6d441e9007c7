import { describe, expect, test } from 'vitest'
import { once, perObject, RecentValues } from '../../../src/platform/lib/isolate.ts'

describe('recent values', () => {
  test('the oldest goes when there are too many; one that is set again is young', () => {
    const values = new RecentValues<number>(2)
    values.set('a', 1)
    values.set('b', 2)
    values.set('a', 3)
    values.set('c', 4)
    expect(['a', 'b', 'c'].map((key) => values.get(key))).toEqual([3, undefined, 4])
  })

  test('a value is made once, and not kept when making it fails', () => {
    const values = new RecentValues<object>(2)
    const fail = () => {
      throw new Error('broken')
    }
    expect(() => values.getOrMake('a', fail)).toThrow('broken')
    const made = values.getOrMake('a', () => ({}))
    expect(values.getOrMake('a', fail)).toBe(made)
    values.delete('a')
    expect(values.get('a')).toBeUndefined()
  })
})

test('a value made once is made with its first use, even undefined', () => {
  let calls = 0
  const make = once(() => {
    calls += 1
  })
  expect(calls).toBe(0)
  expect([make(), make(), calls]).toEqual([undefined, undefined, 1])
})

test('each object has a value of its own', () => {
  const [one, other] = [{}, {}]
  const find = perObject((key: object) => ({ key }))
  expect(find(one)).toBe(find(one))
  expect(find(other)).toEqual({ key: other })
  expect(find(other)).not.toBe(find(one))
})
