import { describe, expect, test } from 'vitest'
import { findMandatoryText } from '../../../../src/tracker/search/compile/pattern-values.ts'

describe('the text that every match of a regular expression contains', () => {
  test.each<[string, string | null]>([
    ['Crash', 'crash'],
    ['^crash in foo$', 'crash in foo'],
    ['crash.*report', 'report'],
    ['[Cc]rash report', 'rash report'],
    ['[]a]bcd', 'bcd'],
    ['[^]]bcd', 'bcd'],
    ['[[:alnum:]x]bcd', 'bcd'],
    ['[\\]]bcd', 'bcd'],
    ['foo\\.bar', 'foo.bar'],
    ['foo\\(bar', 'foo(bar'],
    ['abcd*', 'abc'],
    ['abcd?', 'abc'],
    ['abcd{0,3}', 'abc'],
    ['abcd{2}efg', 'abc'],
    ['abcd+e', 'abcd'],
    ['(leak)?socket', 'socket'],
    ['(leak)socket', 'socket'],
    ['(a(b)c)*xyz', 'xyz'],
    ['größe', null],
    ['größe und so', 'e und so'],
    ['leak\\d+socket', 'leak'],
    ['\\Qleak|socket\\E', null],
    ['ab', null],
    ['a|bcd', null],
    ['(?i)leak', null],
    ['(?-i:leak)', null],
    ['leak[', 'leak'],
    ['.*', null],
    ['', null],
  ])('%s: %s', (source, expected) => {
    expect(findMandatoryText(source)).toBe(expected)
  })
})
