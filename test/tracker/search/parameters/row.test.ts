import { describe, expect, test } from 'vitest'
import { findRefusal, INSIDER, parseQuery, TRACKER } from '../../../support/search/parse-query.ts'

describe('a row of the custom search', () => {
  test.each([
    ['f1=short_desc&o1=substring&v1=a', 'short_desc substring "a"'],
    ['f1=Summary&o1=substring&v1=a', 'short_desc substring "a"'],
    ['f1=flagtypes.name&o1=equals&v1=review+', 'flagtypes.name equals "review+"'],
    ['f1=flagtypes_name&o1=substr&v1=x', 'flagtypes.name substring "x"'],
    ['f1=cc&o1=isempty', 'cc isempty'],
    ['f1=cc&o1=isempty&v1=ignored', 'cc isempty'],
    ['f1=cc&o1=isempty&n1=1', 'NOT cc isempty'],
    ['f1=cc&o1=isempty&n1=false', 'cc isempty'],
    ['f1=cc&o1=isempty&n1=0', 'cc isempty'],
    ['f1=bug_status&o1=everchanged', 'bug_status everchanged'],
    ['f1=bug_status&o1=changedby&v1=%%user%%', 'bug_status changedby "%user%"'],
    ['f1=product&o1=anyexact&v1=a,%20b', 'product anyexact "a" "b"'],
    ['f1=product&o1=anyexact&v1=a,b&v1=c', 'product anyexact "a,b" "c"'],
    ['f1=product&o1=anyexact&v1=,', 'UNKNOWN'],
    ['f1=product&o1=equals&v1=a&v1=b', '(product equals "a" OR product equals "b")'],
    ['f1=product&o1=notequals&v1=a&v1=b', '(product notequals "a" AND product notequals "b")'],
    ['f1=keywords&o1=nowords&v1=a&v1=b', 'keywords nowords "a,b"'],
    ['f1=resolution&o1=equals&v1=---', 'resolution equals "---"'],
    ['f1=resolution&o1=anyexact&v1=---,FIXED', 'resolution anyexact "---" "FIXED"'],
    ['f1=cf_multi&o1=anywords&v1=a', 'cf_multi anywords "a"'],
    ['f1=anything&o1=changedby&v1=a', 'anything changedby "a"'],
    ['f1=owner_idle_time&o1=greaterthan&v1=7d', 'owner_idle_time greaterthan "7d"'],
    ['f1=content&o1=matches&v1=a', 'content matches "a"'],
  ])('is a condition: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each([
    'f1=&o1=equals&v1=a',
    'f1=noop&o1=noop&v1=',
    'f1=noop&o1=equals&v1=a',
    'f1=cc&o1=noop&v1=a',
    'f1=cc&v1=a',
    'f1=cc&o1=equals',
    'f1=cc&o1=equals&v1=%20',
    'f1=resolution&o1=equals&v1=',
    'f1=cc&o1=anywords&v1=,%20,',
    'o1=equals&v1=a',
    'n1=1&j1=OR&j_top=OR',
  ])('is ignored when it lacks a part: %s', (query) => {
    expect(parseQuery(query)).toBe('NONE')
  })

  test.each([
    ['f1=short_dsc&o1=equals&v1=a', 108],
    ['f1=attach_data.thedata&o1=equals&v1=1', 108],
    ['f1=deadline&o1=equals&v1=a', 108],
    ['f1=cf_nonsense&o1=equals&v1=a', 108],
    ['f1=longdescs.isprivate&o1=equals&v1=1', 304],
    ['id=1&f1=nonsense&o1=isempty', 108],
    ['f1=cc&o1=like&v1=a', 32000],
    ['f1=cc&o1=EQUALS&v1=a', 32000],
    ['f1=cc&o1=matches&v1=a', 32000],
    ['f1=content&o1=substring&v1=a', 32000],
    ['f1=anything&o1=equals&v1=a', 32000],
    ['f1=product&o1=isdisabled', 32000],
    ['f1=dependson.count&o1=changedfrom&v1=1', 32000],
  ])('is refused when it cannot be answered: %s', (query, code) => {
    expect(parseQuery(query)).toBe(code)
  })

  test('may name what the caller has the right to search by', () => {
    expect(parseQuery('f1=deadline&o1=isempty', TRACKER)).toBe('deadline isempty')
    expect(parseQuery('f1=longdescs.isprivate&o1=equals&v1=1', INSIDER)).toBe(
      'longdescs.isprivate equals "1"',
    )
  })

  test('names the parameter that is wrong', () => {
    expect(findRefusal('f3=short_dsc&o3=equals&v3=a')).toMatch(/^f3 names 'short_dsc'/)
    expect(findRefusal('f3=cc&o3=like&v3=a')).toContain("o3 is 'like'")
    expect(findRefusal('f3=cc&o3=matches&v3=a')).toContain("f3 compares 'cc' with 'matches'")
  })
})
