import { expect, test } from 'vitest'
import { hashBlocks } from '../../../../src/platform/lib/crypto/hash-blocks.ts'

test('the hash of blocks is that of their bytes, however they are divided', () => {
  // the SHA-256 of `abc`, from the standard
  const expected = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  expect(hashBlocks([Uint8Array.of(97, 98, 99)])).toBe(expected)
  expect(hashBlocks([Uint8Array.of(97), Uint8Array.of(), Uint8Array.of(98, 99)])).toBe(expected)
})
