import { describe, expect, test } from 'vitest'
import { deriveKey, type KeyPurpose } from '../../../../src/platform/lib/crypto/derived-key.ts'

const exportKey = (secret: string, purpose: KeyPurpose) =>
  deriveKey(secret, purpose).export().toString('hex')

describe('a derived key', () => {
  // computed with another implementation of HKDF
  test.each([
    [
      '61f0c0ca938e96b1bc37a6b808fc72308f6f1b95245b90688ded99a678078081',
      'a secret for fingerprints',
      'etag',
    ],
    [
      '3ab90a4a519aa807d7568d868c33f4ac7cf32fa71667fb537c15348032942ce5',
      'a secret for fingerprints',
      'idempotency',
    ],
  ] as const)('is %s under %j for %j', (expected, secret, purpose) => {
    expect(exportKey(secret, purpose)).toBe(expected)
  })

  test('differs by secret and by purpose', () => {
    const pairs = [
      ['a', 'etag'],
      ['b', 'etag'],
      ['a', 'idempotency'],
      ['b', 'idempotency'],
    ] as const
    const keys = pairs.map(([secret, purpose]) => exportKey(secret, purpose))
    expect(new Set(keys).size).toBe(pairs.length)
    expect(pairs.map(([secret, purpose]) => exportKey(secret, purpose))).toEqual(keys)
  })
})
