import { expect, test } from 'vitest'
import { labelled, RULE, tableRow, wrapText } from '../../src/mail/layout.ts'

test.each([
  ['a line that fits stays', 'one two', 'one two'],
  ['a line of exactly the width stays', 'one two th', 'one two th'],
  ['a long line breaks at its last blank', 'one two three four', 'one two\nthree four'],
  ['line breaks of the author stay', 'one\n\ntwo', 'one\n\ntwo'],
  [
    'a word longer than a line stays whole',
    'see https://example.test/x ok',
    'see\nhttps://example.test/x\nok',
  ],
  ['a quoted line stays whole', '> one two three four', '> one two three four'],
  [
    'an indented word longer than a line stays indented',
    '  https://example.test/x',
    '  https://example.test/x',
  ],
  ['nothing stays nothing', '', ''],
])('%s', (_, text, wrapped) => {
  expect(wrapText(text, 10)).toBe(wrapped)
})

test('a row of the table holds its columns, as wide as the rule below the head', () => {
  const row = tableRow(['Status', 'NEW', 'RESOLVED'])
  expect(row).toBe('             Status|NEW                         |RESOLVED')
  expect(RULE).toHaveLength(19 + 28 + 28 + 2)
})

test('long values go on in the lines below, long words broken', () => {
  const row = tableRow(['Whiteboard', 'x'.repeat(30), 'twelve words of which only some will fit'])
  expect(row.split('\n')).toEqual([
    `         Whiteboard|${'x'.repeat(28)}|twelve words of which only`,
    `                   |xx${' '.repeat(26)}|some will fit`,
  ])
})

test('characters beyond the first plane are never torn apart', () => {
  const row = tableRow(['Whiteboard', '', '🐞'.repeat(29)])
  expect(row).toContain('🐞'.repeat(28))
  expect(row.isWellFormed()).toBe(true)
})

test('a labelled value goes on below itself', () => {
  const words = Array.from({ length: 20 }, (_, i) => `word${i}`).join(' ')
  const [first = '', second = ''] = labelled('Summary', words).split('\n')
  expect(first).toMatch(/^ {12}Summary: word0 /)
  expect(first.length).toBeLessThanOrEqual(80)
  expect(second).toMatch(/^ {21}word\d/)
})
