import { expect, test } from 'vitest'
import { findRefusal, parseQuery } from '../../../support/search/parse-query.ts'

/** `0-0-1:cc=a` is a cell. */
function cells(text: string): string {
  return text
    .split(' ')
    .map((part) => part.replace(/^([\d-]+):(\w+)=(\w+)$/, 'field$1=$2&type$1=equals&value$1=$3'))
    .join('&')
}

test.each([
  ['0-0-0:cc=a', 'cc equals "a"'],
  ['0-0-0:cc=a 0-0-1:cc=b', '(cc equals "a" OR cc equals "b")'],
  ['0-0-0:cc=a 0-1-0:cc=b', '(cc equals "a" AND cc equals "b")'],
  ['0-0-0:cc=a 1-0-0:cc=b', '(cc equals "a" AND cc equals "b")'],
  ['0-0-0:cc=a 0-0-1:cc=b 0-1-0:cc=c', '((cc equals "a" OR cc equals "b") AND cc equals "c")'],
  [
    '10-0-0:cc=c 2-0-0:cc=a 2-1-0:cc=b negate2=1',
    '(NOT (cc equals "a" AND cc equals "b") AND cc equals "c")',
  ],
  ['0-0-0:cc=a negate0=false', 'cc equals "a"'],
  ['0-0-0:cc=b -1-0-0:cc=a', '(cc equals "a" AND cc equals "b")'],
  ['-1-0-0:cc=a -1-0-1:cc=b negate-1=1', 'NOT (cc equals "a" OR cc equals "b")'],
  ['negate0=1 id=1', 'bug_id anyexact "1"'],
  ['field0-0-0=noop type0-0-0=noop value0-0-0=', 'NONE'],
  ['field0-0-0=cc type0-0-0=isempty', 'cc isempty'],
  ['field0-0-0=cc type0-0-0=equals', 'NONE'],
  ['field0-0-0=keywords type0-0-0=substring value0-0-0=x', 'keywords substring "x"'],
  ['0-0-0:nonsense=a', 108],
  ['0-0-0:deadline=a', 108],
  ['0-0-0:longdescs_isprivate=1', 304],
  ['field0-0-0=cc type0-0-0=like value0-0-0=x', 32000],
])('a classic chart is rows of alternatives: %s', (text, expression) => {
  expect(parseQuery(cells(text))).toBe(expression)
})

test('a refusal of a classic chart names the cell', () => {
  expect(findRefusal(cells('0-2-1:nonsense=a'))).toContain("field0-2-1 names 'nonsense'")
})
