import { expect, test } from 'vitest'
import { PackedText } from '../../../src/platform/lib/packed-text.ts'

test('a packed text is given in pieces, as it was, and once', () => {
  for (const start of ['', 'a']) {
    const text = start + '😀é'.repeat(100_000)
    const packed = new PackedText(text)
    const pieces = [...packed.take()]
    expect(pieces.length).toBeGreaterThan(1)
    expect(pieces.join('')).toBe(text)
    expect([...packed.take()]).toEqual([])
  }
})
