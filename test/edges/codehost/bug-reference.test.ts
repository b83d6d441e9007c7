import { describe, expect, test } from 'vitest'
import { findBugReference } from '../../../src/edges/codehost/bug-reference.ts'

describe('a text names', () => {
  test.each([
    ['Bug 1234: Title', 1234],
    ['Bug - 1234', 1234],
    ['bug 1234', 1234],
    ['Bug 1234 - Title', 1234],
    ['Bug 1234 -', 1234],
    ['bug-7', 7],
    ['bug- 7', 7],
    ['Bug: 7', 7],
    ['Bug:7', 7],
    ['Bug #7', 7],
    ['bug#7', 7],
    ['BUG 7', 7],
    ['bug  7', 7],
    ['bug\t7', 7],
    ['Bug   -   7', 7],
    ['Fix crash (bug 7)', 7],
    ['Fix crash [bug 7]', 7],
    ['No bug here, but Bug 8 and bug 9', 8],
    ['Summary\n\nText.\n\nBug: 12\n', 12],
    ['bug 0000000007', 7],
    ['bug 1234567890', 1234567890],
    ['bug 7, r=sam', 7],
    ['_ bug 7', 7],
  ])('the bug in %j', (text, id) => {
    expect(findBugReference(text)).toBe(id)
  })

  test.each([
    'bugs 7',
    'debug 7',
    'débug 7',
    'bug7',
    '7',
    'bug',
    'bug: ',
    'bug -- 7',
    'bug :# 7',
    'bug 12345678901',
    'bug 7th',
    'bug 7é',
    'bug_7',
    '_bug 7',
    'bug 7_1',
    'Bug seven',
    'bug\n7',
    'bug -7x',
    'issue 7',
    '',
  ])('no bug in %j', (text) => {
    expect(findBugReference(text)).toBeNull()
  })

  test('none in a long text of almost-references, without searching it again and again', () => {
    const gap = `bug${' '.repeat(200_000)}`
    expect(findBugReference(`${gap}x`)).toBeNull()
    expect(findBugReference('bug '.repeat(100_000))).toBeNull()
    expect(findBugReference(`${'bug -'.repeat(100_000)} 7`)).toBe(7)
  })
})
