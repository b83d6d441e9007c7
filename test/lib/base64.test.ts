import { describe, expect, test } from 'vitest'
import { Base64Decoder, base64Length, encodeBase64Into, toBase64 } from '../../src/lib/base64.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function decode(text: string, maxBytes = 1_000_000): string {
  const decoder = new Base64Decoder(maxBytes)
  decoder.decode(bytes(text))
  return decoder
    .blocks()
    .map((block) => new TextDecoder().decode(block))
    .join('')
}

/** Bytes of all values, in an order that repeats late. */
function mixedBytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7919 + (i >> 8)) & 255)
}

describe('Base64Decoder', () => {
  test.each([
    ['aGVsbG8=', 'hello'],
    ['aGVsbG8', 'hello'],
    ['aGVs\r\nbG8=\n', 'hello'],
    [' a G V s b G 8 = ', 'hello'],
    ['aGV*s-b_G8ä=', 'hello'],
    ['aA==aQ==', 'hi'],
    ['aGk', 'hi'],
    ['a', ''],
    ['====', ''],
    ['', ''],
  ])('decodes %j as %j', (text, result) => {
    expect(decode(text)).toBe(result)
  })

  test('returns all bytes of inputs of any length', () => {
    for (const length of [1, 2, 3, 255, 256 * 1024, 256 * 1024 + 1, 700_000]) {
      const all = mixedBytes(length)
      const decoder = new Base64Decoder(length)
      decoder.decode(bytes(toBase64(all)))
      expect(decoder.size).toBe(length)
      const blocks = decoder.blocks()
      const joined = new Uint8Array(length)
      let at = 0
      for (const block of blocks) {
        joined.set(block, at)
        at += block.length
      }
      expect(at).toBe(length)
      expect(joined.every((byte, i) => byte === all[i])).toBe(true)
    }
  })

  test('counts the bytes of an input over the limit and keeps none', () => {
    const decoder = new Base64Decoder(4)
    decoder.decode(bytes('aGVsbG8='))
    expect(decoder.size).toBe(5)
    expect(decoder.blocks()).toEqual([])
    expect(decode('aGVsbA==', 4)).toBe('hell')
  })
})

describe('toBase64', () => {
  test.each([0, 1, 2, 3, 4, 5, 1000])('encodes %i bytes like the platform', (length) => {
    const all = mixedBytes(length)
    expect(toBase64(all)).toBe(btoa(String.fromCharCode(...all)))
    expect(base64Length(length)).toBe(toBase64(all).length)
  })
})

describe('encodeBase64Into', () => {
  test('writes nothing behind the encoded text', () => {
    const text = new Uint8Array(6).fill(33)
    encodeBase64Into(text, bytes('hi'))
    expect(new TextDecoder().decode(text)).toBe('aGk=!!')
  })
})
