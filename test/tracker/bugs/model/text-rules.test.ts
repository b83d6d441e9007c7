import { describe, expect, test } from 'vitest'
import {
  normalizeAlias,
  normalizeSummary,
  normalizeUrl,
  normalizeWhiteboard,
} from '../../../../src/tracker/bugs/model/text-rules.ts'
import { catchFaultCode } from '../../../support/catch-fault-code.ts'

describe('a summary', () => {
  test.each([
    ['Crash', 'Crash'],
    ['  Crash on start  ', 'Crash on start'],
    ['two\nlines\ttab\u0000', 'two lines tab'],
    ['x'.repeat(255), 'x'.repeat(255)],
    // four bytes and two UTF-16 units each, but 255 characters
    ['😀'.repeat(255), '😀'.repeat(255)],
  ])('is normalized from %j to %j', (text, expected) => {
    expect(normalizeSummary(text)).toBe(expected)
  })

  test.each([
    ['', 107],
    [' \n\t ', 107],
    [null, 107],
    [undefined, 107],
    ['x'.repeat(256), 104],
    ['😀'.repeat(256), 104],
  ])('is, as %j, rejected with %i', (text, code) => {
    expect(catchFaultCode(() => normalizeSummary(text))).toBe(code)
  })
})

describe('an alias', () => {
  test.each([
    ['crash', 'crash'],
    ['  Crash-1 ', 'Crash-1'],
    ['x'.repeat(40), 'x'.repeat(40)],
    ['1a', '1a'],
    ['-1', '-1'],
    ['', null],
    ['  ', null],
    [null, null],
  ])('is normalized from %j to %j', (text, expected) => {
    expect(normalizeAlias(text)).toBe(expected)
  })

  test.each(['12', '#12', 'a b', 'a,b', 'a\tb', 'a\u0007b', 'x'.repeat(41)])(
    'is rejected with 103: %j',
    (text) => {
      expect(catchFaultCode(() => normalizeAlias(text))).toBe(103)
    },
  )
})

describe('the address of a bug', () => {
  test.each([
    ['https://a.test/x?y=1#z', 'https://a.test/x?y=1#z'],
    ['  http://a.test  ', 'http://a.test'],
    ['http://', ''],
    ['', ''],
    ['HTTPS://A.test', 'HTTPS://A.test'],
    ['ftp://a.test', 'ftp://a.test'],
    ['irc://a.test', 'irc://a.test'],
    ['news:comp.lang', 'news:comp.lang'],
    ['mailto:a@b.test', 'mailto:a@b.test'],
    ['a.test/page', 'a.test/page'],
    ['localhost:8080', 'localhost:8080'],
    ['localhost:8080/a', 'localhost:8080/a'],
    ['see page 3', 'see page 3'],
  ])('is normalized from %j to %j', (text, expected) => {
    expect(normalizeUrl(text)).toBe(expected)
  })

  test.each([
    ['javascript:alert(1)', 112],
    ['JavaScript:alert(1)', 112],
    [' \n javascript:alert(1)', 112],
    // digits behind the colon look like a port
    ['javascript:1', 112],
    ['javascript:1/alert(1)', 112],
    ['javascript:0?alert(1):0', 112],
    ['data:text/html,x', 112],
    ['vbscript:x', 112],
    ['file:///etc/passwd', 112],
    ['about:blank', 112],
    [`https://a.test/${'x'.repeat(65_535)}`, 104],
  ])('is, as %j, rejected with %i', (text, code) => {
    expect(catchFaultCode(() => normalizeUrl(text))).toBe(code)
  })

  test('has no scheme after a line break inside of it is replaced', () => {
    expect(normalizeUrl('java\nscript:alert(1)')).toBe('java script:alert(1)')
  })
})

describe('a whiteboard', () => {
  test.each([
    ['[a][b]', '[a][b]'],
    ['  a\nb  ', 'a b'],
    ['', ''],
    ['é'.repeat(65_535), 'é'.repeat(65_535)],
  ])('is normalized (case %#)', (text, expected) => {
    expect(normalizeWhiteboard(text)).toBe(expected)
  })

  test('is rejected with 104 when it has more than 65,535 characters', () => {
    expect(catchFaultCode(() => normalizeWhiteboard('é'.repeat(65_536)))).toBe(104)
    // eighteen characters in the form that is searched
    expect(catchFaultCode(() => normalizeWhiteboard('\ufdfa'.repeat(4_000)))).toBe(104)
  })
})
