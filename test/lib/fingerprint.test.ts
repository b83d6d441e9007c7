import { describe, expect, test } from 'vitest'
import { fingerprint } from '../../src/lib/fingerprint.ts'

describe('a fingerprint', () => {
  test('is the same for the same text and key', () => {
    expect(fingerprint('{"a":1}', 'key')).toMatch(/^[0-9a-f]{32}$/)
    expect(fingerprint('{"a":1}', 'key')).toBe(fingerprint('{"a":1}', 'key'))
  })

  test('is the same whatever was asked for in between', () => {
    const before = ['a', 'b'].map((key) => fingerprint('{"a":1}', key))
    const after = ['b', 'a', 'b', 'a'].map((key) => fingerprint('{"a":1}', key))
    expect(after).toEqual([before[1], before[0], before[1], before[0]])
    expect(before[0]).not.toBe(before[1])
  })

  test.each([
    ['another text', '{"a":2}', 'key'],
    ['another key', '{"a":1}', 'kez'],
    ['another order', '{"1":a}', 'key'],
    ['a longer text', '{"a":1} ', 'key'],
    ['what runs from the key into the text', 'y{"a":1}', 'ke'],
    ['nothing', '', ''],
  ])('differs for %s', (_, text, key) => {
    expect(fingerprint(text, key)).not.toBe(fingerprint('{"a":1}', 'key'))
  })

  test('differs in each of its parts for each of many texts that differ little', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `{"id":${n},"status":"NEW"}`)
    const prints = texts.map((text) => fingerprint(text, 'key'))
    expect(new Set(prints).size).toBe(texts.length)
    for (const start of [0, 8, 16, 24]) {
      const parts = new Set(prints.map((print) => print.slice(start, start + 8)))
      // 32 bits by chance repeat about once in 20,000
      expect(parts.size).toBeGreaterThan(texts.length - 20)
    }
  })

  test.each([0, 1])(
    'differs when only the highest bits of every second character do (%i)',
    (at) => {
      const texts = Array.from({ length: 256 }, (_, flips) =>
        Array.from({ length: 16 }, (_, n) => {
          const isFlipped = n % 2 === at && ((flips >> (n >> 1)) & 1) === 1
          return String.fromCharCode(isFlipped ? 0xce00 : 0x4e00)
        }).join(''),
      )
      expect(new Set(texts).size).toBe(256)
      expect(new Set(texts.map((text) => fingerprint(text, 'key'))).size).toBe(256)
    },
  )
})
