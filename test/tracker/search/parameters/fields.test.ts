import { describe, expect, test } from 'vitest'
import { findRefusal, INSIDER, parseQuery, TRACKER } from '../../../support/search/parse-query.ts'

type Rows = readonly (readonly [query: string, expression: string | number])[]

const VALUES: Rows = [
  ['product=A', 'product anyexact "A"'],
  ['product=A&product=B', 'product anyexact "A" "B"'],
  ['product=%20A%20', 'product anyexact "A"'],
  ['product=', 'NONE'],
  ['product=&product=A', 'product anyexact "A"'],
  ['product=A, B', 'product anyexact "A, B"'],
  ['product=A&component=B', '(product anyexact "A" AND component anyexact "B")'],
  ['id=1,2&id=3', 'bug_id anyexact "1" "2" "3"'],
  ['id=1&bug_id=2', 'bug_id anyexact "1" "2"'],
  ['id=x', 'bug_id anyexact "x"'],
  ['id=,', 'UNKNOWN'],
  ['alias=a,b', 'alias anyexact "a" "b"'],
  ['Product=A', 'product anyexact "A"'],
  ['nonsense=1', 'NONE'],
  ['cf_nonsense=1', 'NONE'],
]

const NAMES: Rows = [
  ['summary=a b', 'short_desc substring "a b"'],
  ['summary=a&summary=b', '(short_desc substring "a" OR short_desc substring "b")'],
  ['short_desc=a b', 'short_desc allwordssubstr "a b"'],
  ['short_desc=a&short_desc=b', 'short_desc allwordssubstr "a,b"'],
  ['summary=a&short_desc=b', '(short_desc substring "a" AND short_desc allwordssubstr "b")'],
  ['whiteboard=a b', 'status_whiteboard substring "a b"'],
  ['status_whiteboard=a b', 'status_whiteboard allwordssubstr "a b"'],
  ['url=http://a/,b', 'bug_file_loc anyexact "http://a/,b"'],
  ['bug_file_loc=a', 'bug_file_loc allwordssubstr "a"'],
  ['description=a, b', 'first_comment anyexact "a, b"'],
  ['longdesc=a b', 'longdesc allwordssubstr "a b"'],
  ['long_desc=a', 'longdesc allwordssubstr "a"'],
  ['status=NEW&bug_status=OLD', 'bug_status anyexact "NEW" "OLD"'],
  ['severity=a', 'bug_severity anyexact "a"'],
  ['type=a&bug_type=b', 'bug_type anyexact "a" "b"'],
  ['platform=a', 'rep_platform anyexact "a"'],
  ['assigned_to=a@x, b@x', 'assigned_to anyexact "a@x" "b@x"'],
  ['creator=a@x b@x', 'reporter anyexact "a@x" "b@x"'],
  ['reporter=%%user%%', 'reporter anyexact "%user%"'],
  ['cc=a@x&cc=b@x', 'cc anyexact "a@x" "b@x"'],
  ['tags=a,b', 'tag anyexact "a,b"'],
  ['tag=a', 'tag anyexact "a"'],
  ['keywords=a&keywords=b', 'keywords allwords "a,b"'],
  ['content=a b', 'content matches "a b"'],
  ['creation_time=2024-01-01&creation_time=x', 'creation_ts greaterthaneq "2024-01-01"'],
  ['last_change_time=-7d', 'delta_ts greaterthaneq "-7d"'],
  ['delta_ts=-7d', 'delta_ts greaterthaneq "-7d"'],
  ['longdescs.count=1&longdescs.count=2', 'longdescs.count anyexact "1" "2"'],
  ['longdescs_count=1,2', 'longdescs.count anyexact "1" "2"'],
  ['comment_count=1', 'longdescs.count anyexact "1"'],
  ['attachments_ispatch=1', 'attachments.ispatch anyexact "1"'],
  ['groups=a', 'bug_group anyexact "a"'],
  ['changedin=7', 'days_elapsed anyexact "7"'],
  ['cf_freetext=a,b', 'cf_freetext anyexact "a" "b"'],
  ['cf_single=a,b', 'cf_single anyexact "a,b"'],
  ['cf_multi=a,b&cf_multi=c', 'cf_multi anyexact "a,b" "c"'],
  ['CF_Single=a', 'cf_single anyexact "a"'],
]

const COMPANIONS: Rows = [
  ['short_desc=a&short_desc=b&short_desc_type=allwordssubstr', 'short_desc allwordssubstr "a,b"'],
  ['summary=a b&short_desc_type=anywords', 'short_desc anywords "a b"'],
  ['summary=a&summary_type=regexp', 'short_desc regexp "a"'],
  ['summary=a&summary_type=substr', 'short_desc substring "a"'],
  ['summary=a&summary_type=', 'short_desc substring "a"'],
  [
    'summary=a&summary=b&summary_type=notsubstring',
    '(short_desc notsubstring "a" AND short_desc notsubstring "b")',
  ],
  ['url=a&url_type=substring', 'bug_file_loc substring "a"'],
  ['description=a&description_type=substring', 'first_comment substring "a"'],
  ['description=a&longdesc_type=substring', 'first_comment anyexact "a"'],
  ['keywords=a,b&keywords_type=nowords', 'keywords nowords "a,b"'],
  ['keywords=a,b&keywords_type=anyexact', 'keywords anyexact "a" "b"'],
  ['keywords=,&keywords_type=anywords', 'NONE'],
  ['bug_id=1,2&bug_id_type=nowords', 'bug_id nowords "1,2"'],
  ['id=1&bugidtype=exclude', 'bug_id nowords "1"'],
  ['id=1&bugidtype=include', 'bug_id anyexact "1"'],
  ['id=1&bugidtype=other', 32000],
  ['bugidtype=other', 'NONE'],
  ['assigned_to=a&assigned_to_type=substring', 'assigned_to substring "a"'],
  ['cc=x&cc_type=isempty', 'cc isempty'],
  ['cc=x&cc_type=isdisabled', 'cc isdisabled'],
  ['longdescs.count=3&longdescs.count_type=greaterthan', 'longdescs.count greaterthan "3"'],
  ['longdescs.count=3&longdescs_count_type=greaterthan', 'longdescs.count greaterthan "3"'],
  ['creation_ts=2024&creation_ts_type=lessthan', 'creation_ts lessthan "2024"'],
  ['content=a&content_type=notmatches', 'content notmatches "a"'],
  ['version=1&version_type=changedto', 'version changedto "1"'],
  ['cf_single=a&cf_single_type=notequals', 'cf_single notequals "a"'],
  ['short_desc_type=allwords', 'NONE'],
  ['short_desc_type=nonsense', 'NONE'],
  ['short_desc=a&short_desc_type=nonsense', 32000],
  ['short_desc=a&short_desc_type=Substring', 32000],
  ['product=a&product_type=isdisabled', 32000],
]

const SPECIAL_VALUES: Rows = [
  ['status=__open__', 'bug_status anyexact "__open__"'],
  ['status=__OPEN__&status=RESOLVED', 'bug_status anyexact "__open__" "RESOLVED"'],
  ['bug_status=__closed__', 'bug_status anyexact "__closed__"'],
  ['status=__all__', 'NONE'],
  ['status=__all__&status=NEW&id=1', 'bug_id anyexact "1"'],
  ['status=__all__&status_type=equals', 'bug_status equals "__all__"'],
  ['resolution=---', 'resolution anyexact "---"'],
  ['resolution=', 'resolution anyexact ""'],
  ['resolution=---&resolution=FIXED', 'resolution anyexact "---" "FIXED"'],
  ['resolution=---&resolution_type=notequals', 'resolution notequals "---"'],
  ['resolution=&resolution_type=notequals', 'resolution notequals ""'],
  ['resolution=&resolution_type=substring', 'NONE'],
  ['resolution=---&resolution_type=substring', 'resolution substring "---"'],
]

describe('a parameter named like a field', () => {
  test.each(VALUES)('reads its values: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each(NAMES)('compares as its name says: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each(COMPANIONS)('takes the operator of its companion: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each(SPECIAL_VALUES)('knows special values: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each([
    ['deadline=2024-01-01', 'deadline anyexact "2024-01-01"'],
    ['estimated_time=1', 'estimated_time anyexact "1"'],
    ['actual_time=1', 'work_time anyexact "1"'],
    ['percentage_complete=1', 'percentage_complete anyexact "1"'],
  ])('is ignored when its hours are not for the caller: %s', (query, expression) => {
    expect([parseQuery(query), parseQuery(query, TRACKER)]).toEqual(['NONE', expression])
  })

  test('is refused when it is about private comments and the caller is no insider', () => {
    expect(parseQuery('longdescs.isprivate=')).toBe('NONE')
    expect(parseQuery('longdescs.isprivate=1')).toBe(304)
    expect(parseQuery('longdescs_isprivate=1', TRACKER)).toBe(304)
    expect(parseQuery('longdescs_isprivate=1', INSIDER)).toBe('longdescs.isprivate anyexact "1"')
  })

  test('is refused with its companion and the operators that there are', () => {
    expect(findRefusal('summary=a&short_desc_type=like')).toMatch(
      /short_desc_type is 'like', which is no operator; these are: equals, .*changedby/,
    )
  })
})
