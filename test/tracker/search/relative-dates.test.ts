import { describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { parseSearchDate } from '../../../src/tracker/search/relative-dates.ts'

/** A Wednesday. */
const NOW = Date.UTC(2025, 5, 18, 12, 34, 56) / 1000

function read(text: string, now = NOW): string | null {
  const seconds = parseSearchDate(text, now)
  return seconds === null ? null : toDatetime(seconds)
}

describe('a date in a search', () => {
  test.each([
    ['2025-01-02', '2025-01-02T00:00:00Z'],
    ['2025-01-02 03:04', '2025-01-02T03:04:00Z'],
    ['2025-01-02 03:04:05', '2025-01-02T03:04:05Z'],
    ['2025-01-02T03:04:05Z', '2025-01-02T03:04:05Z'],
    ['2025-01-02T03:04:05+01:00', '2025-01-02T02:04:05Z'],
    ['20250102T03:04:05', '2025-01-02T03:04:05Z'],
    ['now', '2025-06-18T12:34:56Z'],
    ['Now', '2025-06-18T12:34:56Z'],
    ['1h', '2025-06-18T11:34:56Z'],
    ['-7d', '2025-06-11T12:34:56Z'],
    ['7d', '2025-06-11T12:34:56Z'],
    [' 7D ', '2025-06-11T12:34:56Z'],
    ['+1d', '2025-06-19T12:34:56Z'],
    ['2w', '2025-06-04T12:34:56Z'],
    ['1m', '2025-05-18T12:34:56Z'],
    ['+13m', '2026-07-18T12:34:56Z'],
    ['1y', '2024-06-18T12:34:56Z'],
    ['0h', '2025-06-18T12:00:00Z'],
    ['0d', '2025-06-18T00:00:00Z'],
    ['0w', '2025-06-15T00:00:00Z'],
    ['0m', '2025-06-01T00:00:00Z'],
    ['0y', '2025-01-01T00:00:00Z'],
    ['1hs', '2025-06-18T11:00:00Z'],
    ['1ds', '2025-06-17T00:00:00Z'],
    ['1ws', '2025-06-08T00:00:00Z'],
    ['1ms', '2025-05-01T00:00:00Z'],
    ['-1Ys', '2024-01-01T00:00:00Z'],
    ['+1ds', '2025-06-19T00:00:00Z'],
  ])('is, from %j, %s', (text, moment) => {
    expect(read(text)).toBe(moment)
  })

  test.each([
    '',
    'yesterday',
    '2025-02-30',
    '2025-13-01',
    '7',
    'd',
    '7 d',
    '7x',
    '--7d',
    '1.5d',
    '7dd',
    '1234567d',
    '999999y',
  ])('is null from %j', (text) => {
    expect(read(text)).toBeNull()
  })

  test('ends on the last day of a shorter month', () => {
    const march = Date.UTC(2024, 2, 31, 23, 59, 59) / 1000

    expect(read('1m', march)).toBe('2024-02-29T23:59:59Z')
    expect(read('13m', march)).toBe('2023-02-28T23:59:59Z')
    expect(read('1y', Date.UTC(2024, 1, 29) / 1000)).toBe('2023-02-28T00:00:00Z')
  })

  test('has Sunday as the start of the week', () => {
    expect(read('0w', Date.UTC(2025, 5, 15, 1) / 1000)).toBe('2025-06-15T00:00:00Z')
  })
})
