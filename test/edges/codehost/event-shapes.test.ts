import { describe, expect, test } from 'vitest'
import { nonBlank, webAddress } from '../../../src/edges/codehost/event-shapes.ts'

describe('an address', () => {
  test.each(['https://github.com/a/b', 'http://forge.test:8080/x?y#z', ' https://x.test/1 '])(
    'may be %j',
    (address) => {
      expect(webAddress().parse(address)).toBe(address.trim())
    },
  )

  test.each([
    '',
    'github.com/a',
    'ftp://x.test/',
    'javascript:alert(1)//https://x.test',
    'https://x.test/a b',
    'https://x.test/a\nb',
    'https://',
    `https://x.test/${'a'.repeat(2048)}`,
    7,
    null,
    undefined,
  ])('may not be %j', (address) => {
    expect(webAddress().safeParse(address).success).toBe(false)
  })
})

test('a text that has to be there is not blank', () => {
  expect(nonBlank().parse(' a ')).toBe(' a ')
  for (const value of ['', ' \n', 7, null, undefined, ['a']]) {
    expect(nonBlank().safeParse(value).success).toBe(false)
  }
})
