import { describe, expect, test } from 'vitest'
import {
  formatField,
  formatTableRow,
  TABLE_RULE,
  wrapText,
} from '../../../src/platform/mail/layout.ts'

describe('wrapText', () => {
  test.each([
    ['keeps a line that fits', 'one two', 'one two'],
    ['keeps a line of exactly the width', 'one two th', 'one two th'],
    ['breaks a long line at its last space', 'one two three four', 'one two\nthree four'],
    ['keeps existing line breaks', 'one\n\ntwo', 'one\n\ntwo'],
    [
      'keeps a word longer than a line whole',
      'see https://example.test/x ok',
      'see\nhttps://example.test/x\nok',
    ],
    ['keeps a quoted line whole', '> one two three four', '> one two three four'],
    [
      'keeps the indentation of a word longer than a line',
      '  https://example.test/x',
      '  https://example.test/x',
    ],
    ['keeps the empty text', '', ''],
  ])('%s', (_, text, wrapped) => {
    expect(wrapText(text, 10)).toBe(wrapped)
  })
})

describe('formatTableRow', () => {
  test('writes columns as wide as the rule below the head', () => {
    const row = formatTableRow(['Status', 'NEW', 'RESOLVED'])
    expect(row).toBe('             Status|NEW                         |RESOLVED')
    expect(TABLE_RULE).toHaveLength(19 + 28 + 28 + 2)
  })

  test('continues long values in further lines and breaks long words', () => {
    const row = formatTableRow([
      'Whiteboard',
      'x'.repeat(30),
      'twelve words of which only some will fit',
    ])
    expect(row.split('\n')).toEqual([
      `         Whiteboard|${'x'.repeat(28)}|twelve words of which only`,
      `                   |xx${' '.repeat(26)}|some will fit`,
    ])
  })

  test('keeps the lines of a value within their column', () => {
    const row = formatTableRow(['Steps', 'one\ntwo', 'one\n\nthree'])
    expect(row.split('\n')).toEqual([
      `              Steps|one${' '.repeat(25)}|one`,
      `                   |two${' '.repeat(25)}|`,
      `                   |${' '.repeat(28)}|three`,
    ])
  })

  test('does not split characters beyond the first plane', () => {
    const row = formatTableRow(['Whiteboard', '', '🐞'.repeat(29)])
    expect(row).toContain('🐞'.repeat(28))
    expect(row.isWellFormed()).toBe(true)
  })
})

describe('formatField', () => {
  test('continues a long value below itself, indented', () => {
    const words = Array.from({ length: 20 }, (_, i) => `word${i}`).join(' ')
    const [first = '', second = ''] = formatField('Summary', words).split('\n')
    expect(first).toMatch(/^ {12}Summary: word0 /)
    expect(first.length).toBeLessThanOrEqual(80)
    expect(second).toMatch(/^ {21}word\d/)
  })
})
