import { describe, expect, test } from 'vitest'
import { parseAttachmentSummary, parseFileName } from '../../../src/tracker/attachments/texts.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

describe('a file name', () => {
  test.each([
    ['a.txt', 'a.txt'],
    [' a\r\nb.txt\t', 'a b.txt'],
    ['/etc/passwd', 'passwd'],
    ['C:\\temp\\a.txt', 'a.txt'],
    ['../..\\x/y.png', 'y.png'],
    [`${'ä'.repeat(200)}.txt`, `${'ä'.repeat(96)}.txt`],
    [`${'😀'.repeat(200)}.txt`, `${'😀'.repeat(96)}.txt`],
    ['"><script>.svg', '"><script>.svg'],
  ])('%j is kept as %j', (given, stored) => {
    expect(parseFileName(given)).toBe(stored)
  })

  test.each([undefined, '', '  ', 'folder/', '\\', '\u0000'])('%j is none', (given) => {
    expect(catchFaultCode(() => parseFileName(given))).toBe(603)
  })
})

describe('a summary', () => {
  test.each([
    [' A patch\n', 'A patch'],
    ['x'.repeat(255), 'x'.repeat(255)],
    ['😀'.repeat(255), '😀'.repeat(255)],
  ])('%# is kept clean', (given, stored) => {
    expect(parseAttachmentSummary(given)).toBe(stored)
  })

  test.each([
    [undefined, 604],
    [' \t', 604],
    ['x'.repeat(256), 104],
  ])('%# is refused', (given, code) => {
    expect(catchFaultCode(() => parseAttachmentSummary(given))).toBe(code)
  })
})
