import { describe, expect, test } from 'vitest'
import { Base64Decoder, base64Length } from '../../../src/platform/lib/base64.ts'

function decode(text: string, maxBytes = 1_000_000): string {
  const decoder = new Base64Decoder(maxBytes)
  decoder.decode(text)
  return decoder
    .blocks()
    .map((block) => new TextDecoder().decode(block))
    .join('')
}

/** Bytes of all values, in an order that repeats late. */
function mixedBytes(length: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.from({ length }, (_, i) => (i * 7919 + (i >> 8)) & 255)
}

const joinBlocks = (decoder: Base64Decoder) => Buffer.concat(decoder.blocks()).toString('hex')

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
      decoder.decode(all.toBase64())
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

  test('decodes long texts as it does character by character, with anything between them', () => {
    const between = ['', '', '\r\n', ' ', '=', '==', '*', 'ä', 'A', 'AB=', ' '.repeat(700)]
    for (let n = 0; n < 200; n += 1) {
      const parts = Array.from({ length: 1 + (n % 5) }, (_, i) => {
        const all = mixedBytes((n * 131 + i * 977) % 3000)
        return `${all.toBase64()}${between[(n + i * 3) % between.length]}`
      })
      const text = parts.join('')
      for (const maxBytes of [100, 2000, 100_000]) {
        const [whole, single] = [new Base64Decoder(maxBytes), new Base64Decoder(maxBytes)]
        whole.decode(text.slice(0, text.length >> 1))
        whole.decode(text.slice(text.length >> 1))
        for (const character of text) {
          single.decode(character)
        }
        expect(whole.size).toBe(single.size)
        expect(joinBlocks(whole)).toEqual(joinBlocks(single))
      }
    }
  })

  test('counts the bytes of an input over the limit and keeps none', () => {
    const decoder = new Base64Decoder(4)
    decoder.decode('aGVsbG8=')
    expect(decoder.size).toBe(5)
    expect(decoder.blocks()).toEqual([])
    expect(decode('aGVsbA==', 4)).toBe('hell')
  })
})

describe('base64Length', () => {
  test.each([0, 1, 2, 3, 4, 5, 1000])('is the number of characters of %i bytes', (length) => {
    expect(base64Length(length)).toBe(mixedBytes(length).toBase64().length)
  })
})
