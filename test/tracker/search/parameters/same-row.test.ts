import { describe, expect, test } from 'vitest'
import { findRefusal, parseQuery } from '../../../support/search/parse-query.ts'

/** A search whose top level is one row of `field`; each part is an operator with its value, `!` negates. */
function sameRow(field: string, ...parts: string[]): string {
  const rows = parts.map((part, index) => {
    const [, negation, operator, value] = /^(!?)(\w+) ?(.*)$/.exec(part) ?? []
    const values = (value ?? '').split('|').map((each) => `&v${index}=${each}`)
    return `f${index}=${field}&o${index}=${operator}&n${index}=${negation ? 1 : 0}${values.join('')}`
  })
  return `j_top=AND_G&${rows.join('&')}`
}

describe('a group joined by AND_G', () => {
  test.each([
    [
      sameRow('longdesc', 'substring a', 'substring b'),
      'SAME ROW(longdesc substring "a", longdesc substring "b")',
    ],
    [sameRow('longdesc', 'substring a'), 'SAME ROW(longdesc substring "a")'],
    [
      sameRow('flag', 'substring review', 'notequals review+', '!notsubstring x', '!substring y'),
      'SAME ROW(flagtypes.name substring "review", NOT flagtypes.name equals "review+", flagtypes.name substring "x", NOT flagtypes.name substring "y")',
    ],
    [sameRow('cc', 'isdisabled', 'substring a'), 'SAME ROW(cc isdisabled, cc substring "a")'],
    [
      sameRow('keywords', 'changedby a', 'substring x', 'changedafter -7d', 'substring y'),
      '(SAME ROW(keywords changedby "a", keywords changedafter "-7d") AND SAME ROW(keywords substring "x", keywords substring "y"))',
    ],
    [
      sameRow('product', 'changedby a', 'substring x', '!substring y'),
      '(SAME ROW(product changedby "a") AND product substring "x" AND NOT product substring "y")',
    ],
    [
      sameRow('longdescs.count', 'greaterthan 1', 'lessthan 9'),
      '(longdescs.count greaterthan "1" AND longdescs.count lessthan "9")',
    ],
    [
      sameRow('creation_ts', 'changedafter -7d', 'changedby a'),
      '(creation_ts changedafter "-7d" AND creation_ts changedby "a")',
    ],
    [
      sameRow('cc', 'substring a|b', 'substring c'),
      '(SAME ROW(cc substring "a", cc substring "c") OR SAME ROW(cc substring "b", cc substring "c"))',
    ],
    [
      sameRow('cc', 'notsubstring a|b', 'substring c'),
      'SAME ROW(NOT cc substring "a", NOT cc substring "b", cc substring "c")',
    ],
    [
      sameRow('cc', '!substring a|b', 'substring c'),
      'SAME ROW(NOT cc substring "a", NOT cc substring "b", cc substring "c")',
    ],
    [sameRow('cc', 'anyexact ,', 'substring c'), 'UNKNOWN'],
    [
      `id=1&${sameRow('cc', 'substring a', 'substring b')}`,
      '(bug_id anyexact "1" AND SAME ROW(cc substring "a", cc substring "b"))',
    ],
    [
      'f1=OP&j1=AND_G&n1=1&f2=cc&o2=substring&v2=a&f3=cc&o3=substring&v3=b',
      'NOT SAME ROW(cc substring "a", cc substring "b")',
    ],
    ['j_top=AND_G&f1=OP&f2=CP&f3=cc&o3=substring&v3=b', 'SAME ROW(cc substring "b")'],
  ])('is about one row of its field: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test('takes neither rows of another field nor groups', () => {
    const mixed = 'f1=cc&o1=isempty&f2=commenter&o2=isempty'
    expect(findRefusal(`j_top=AND_G&${mixed}`)).toContain('j_top is AND_G')
    expect(findRefusal(`j_top=AND_G&${mixed}`)).toContain('f2 names another')
    expect(parseQuery('j_top=AND_G&f1=cc&o1=isempty&f2=OP&f3=cc&o3=isempty')).toBe(32000)
  })

  test('takes only as many combinations of repeated values as a search may have conditions', () => {
    const values = 'substring a|b|c|d|e|f|g'
    expect(parseQuery(sameRow('cc', values, values, values))).toBe(32000)
  })
})
