import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { deriveKey } from '../../../../src/platform/lib/crypto/derived-key.ts'
import { fingerprint } from '../../../../src/platform/lib/crypto/fingerprint.ts'

const SECRET = 'a secret for fingerprints'

const print = (text: string) => fingerprint(text, deriveKey(SECRET, 'etag'))

describe('a fingerprint', () => {
  // computed with another implementation of HKDF and HMAC
  test.each([
    ['63e74c0439460b418085e7be973d884c', SECRET, 'etag', ''],
    ['5fe9f483e378a29bfa52fc32f13db5b4', SECRET, 'etag', '{"a":1}'],
    ['993a5cd37330debe5d9742af51699ca6', SECRET, 'idempotency', '{"a":1}'],
    [
      'b2caa1ff03188f010a688f5c3f79d855',
      'a secret of another installation',
      'idempotency',
      '7:42:1700000001',
    ],
    ['a51351c8ac8f2c9876c7b3b651b1f63e', SECRET, 'etag', 'Grüße, 世界 🐞'],
    ['237182496c6dd86519d4afa5373e5782', SECRET, 'etag', 'x'.repeat(100_000)],
  ] as const)('is %s under %j for %j', (expected, secret, purpose, text) => {
    expect(fingerprint(text, deriveKey(secret, purpose))).toBe(expected)
  })

  test('does not depend on other fingerprints computed in between', () => {
    const secrets = ['a', 'b']
    const before = secrets.map((secret) => fingerprint('{"a":1}', deriveKey(secret, 'etag')))
    const after = ['b', 'a', 'b', 'a'].map((secret) =>
      fingerprint('{"a":1}', deriveKey(secret, 'etag')),
    )
    expect(after).toEqual([before[1], before[0], before[1], before[0]])
  })

  test.each([
    ['another text', '{"a":2}', SECRET, 'etag'],
    ['another secret', '{"a":1}', `${SECRET}!`, 'etag'],
    ['another purpose', '{"a":1}', SECRET, 'idempotency'],
    ['another order', '{"1":a}', SECRET, 'etag'],
    ['a longer text', '{"a":1} ', SECRET, 'etag'],
    ['no text', '', SECRET, 'etag'],
  ] as const)('differs for %s', (_, text, secret, purpose) => {
    expect(fingerprint(text, deriveKey(secret, purpose))).not.toBe(print('{"a":1}'))
  })

  test.each(['etag', 'idempotency'] as const)(
    'of purpose %j is made with a derived key, not with the secret itself',
    (purpose) => {
      const underSecret = createHmac('sha256', SECRET).update('{"a":1}').digest('hex')
      expect(fingerprint('{"a":1}', deriveKey(SECRET, purpose))).not.toBe(underSecret.slice(0, 32))
    },
  )

  test('differs in each of its words for each of many texts that differ little', () => {
    const texts = Array.from({ length: 20_000 }, (_, n) => `{"id":${n},"status":"NEW"}`)
    const prints = texts.map(print)
    expect(new Set(prints).size).toBe(texts.length)
    for (const start of [0, 8, 16, 24]) {
      const words = new Set(prints.map((digits) => digits.slice(start, start + 8)))
      // 32 bits by chance repeat about once in 20,000
      expect(words.size).toBeGreaterThan(texts.length - 20)
    }
  })

  test('has 128 bits of which none follows from others by exclusive or', () => {
    const rows = Array.from({ length: 512 }, (_, n) => BigInt(`0x${print(`text ${n}`)}`))
    // differences, because a combination that is constant, and not only one that is zero, loses a bit
    const differences = rows.map((row) => row ^ (rows[0] ?? 0n))
    expect(rankOf(differences)).toBe(128)
  })
})

/** How many of the rows of bits are independent under exclusive or. */
function rankOf(rows: bigint[]): number {
  const byHighestBit = new Map<number, bigint>()
  for (const row of rows) {
    let rest = row
    while (rest !== 0n) {
      const highest = rest.toString(2).length
      const known = byHighestBit.get(highest)
      if (known === undefined) {
        byHighestBit.set(highest, rest)
        break
      }
      rest ^= known
    }
  }
  return byHighestBit.size
}
