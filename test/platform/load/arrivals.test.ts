import { afterEach, expect, test, vi } from 'vitest'
import { Arrivals } from '../../../src/platform/load/arrivals.ts'

afterEach(() => vi.useRealTimers())

test('what has just begun is not given up for what brought little and waits', () => {
  vi.useFakeTimers({ now: 0 })
  const arrivals = new Arrivals(2)
  const given: string[] = []
  const begin = (name: string) => arrivals.begin(() => given.push(name))
  begin('waiting').amount = 5000
  begin('fast').amount = 900_000
  vi.setSystemTime(3000)
  begin('new')
  expect(given).toEqual(['waiting'])
  begin('newer')
  expect(given).toEqual(['waiting', 'new'])
})
