import { afterEach, expect, test, vi } from 'vitest'
import { Capacity } from '../../../src/platform/load/capacity.ts'

afterEach(() => vi.useRealTimers())

test('each part counts in all of its shares until it is given back', () => {
  const memory = new Capacity<string>()
  const one = memory.hold(['all', 'a'], 5)
  const two = memory.hold(['all', 'b'], 3)
  expect(['all', 'a', 'b', 'c'].map((share) => memory.heldOf(share))).toEqual([8, 5, 3, 0])
  memory.release(one)
  memory.release(one)
  expect(['all', 'a', 'b'].map((share) => memory.heldOf(share))).toEqual([3, 0, 3])
  memory.release(two)
  expect(memory.heldOf('all')).toBe(0)
  expect(memory.size).toBe(0)
})

test('a part becomes larger and smaller', () => {
  const memory = new Capacity<string>()
  const part = memory.hold(['all'], 0)
  memory.resize(part, 7)
  expect(memory.heldOf('all')).toBe(7)
  memory.resize(part, 2)
  expect([memory.heldOf('all'), part.amount, memory.size]).toEqual([2, 2, 1])
})

test('a part counts no longer than it may be silent, and again once it is heard of', () => {
  vi.useFakeTimers({ now: 0 })
  const places = new Capacity<string>()
  const part = places.hold(['all'], 1, 1000)
  vi.setSystemTime(999)
  expect(places.heldOf('all')).toBe(1)
  vi.setSystemTime(1001)
  expect(places.heldOf('all')).toBe(0)
  places.renew(part, 1000)
  expect(places.heldOf('all')).toBe(1)
  places.release(part)
  expect(places.heldOf('all')).toBe(0)
})
