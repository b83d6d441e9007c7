import { describe, expect, test } from 'vitest'
import { Base64Decoder, base64Length, encodeInto, toBase64 } from '../../src/lib/base64.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function decoded(text: string, most = 1_000_000): string {
  const decoder = new Base64Decoder(most)
  decoder.read(bytes(text))
  return decoder
    .blocks()
    .map((block) => new TextDecoder().decode(block))
    .join('')
}

/** Bytes of all values, in no order that repeats soon. */
function mixed(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7919 + (i >> 8)) & 255)
}

describe('reading base64', () => {
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
  ])('%j gives %j', (text, result) => {
    expect(decoded(text)).toBe(result)
  })

  test('gives every byte back, whatever its length', () => {
    for (const length of [1, 2, 3, 255, 256 * 1024, 256 * 1024 + 1, 700_000]) {
      const all = mixed(length)
      const decoder = new Base64Decoder(length)
      decoder.read(bytes(toBase64(all)))
      expect(decoder.size).toBe(length)
      const blocks = decoder.blocks()
      const together = new Uint8Array(length)
      let at = 0
      for (const block of blocks) {
        together.set(block, at)
        at += block.length
      }
      expect(at).toBe(length)
      expect(together.every((byte, i) => byte === all[i])).toBe(true)
    }
  })

  test('counts what is too much and keeps none of it', () => {
    const decoder = new Base64Decoder(4)
    decoder.read(bytes('aGVsbG8='))
    expect(decoder.size).toBe(5)
    expect(decoder.blocks()).toEqual([])
    expect(decoded('aGVsbA==', 4)).toBe('hell')
  })
})

describe('writing base64', () => {
  test.each([0, 1, 2, 3, 4, 5, 1000])('of %i bytes is what everybody else writes', (length) => {
    const all = mixed(length)
    expect(toBase64(all)).toBe(btoa(String.fromCharCode(...all)))
    expect(base64Length(length)).toBe(toBase64(all).length)
  })

  test('leaves the rest of the memory alone', () => {
    const text = new Uint8Array(6).fill(33)
    encodeInto(text, bytes('hi'))
    expect(new TextDecoder().decode(text)).toBe('aGk=!!')
  })
})
