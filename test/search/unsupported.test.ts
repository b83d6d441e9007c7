import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller } from '../../src/access/caller.ts'
import { assertSupportedSearch } from '../../src/search/unsupported.ts'
import { buildCaller } from '../support/builders/callers.ts'

const TRACKER = buildCaller({ id: 1, login: '', key: '' }, ['timetracking'])

function findRefused(query: string, caller: Caller = ANONYMOUS): string | undefined {
  const search = new URLSearchParams(query)
  const parameters = Object.fromEntries(
    [...search.keys()].map((name) => [name, search.getAll(name)]),
  )
  try {
    assertSupportedSearch(parameters, caller)
    return undefined
  } catch (error) {
    return /parameter '(.+)' belongs/.exec((error as Error).message)?.[1]
  }
}

describe('assertSupportedSearch', () => {
  test.each([
    ['quicksearch=crash', 'quicksearch'],
    ['quicksearch=ALL', 'quicksearch'],
    ['content=crash', 'content'],
    ['longdesc=a', 'longdesc'],
    ['keywords=perf', 'keywords'],
    ['cc=a@b.test', 'cc'],
    ['longdesc=x&longdesc_type=allwordssubstr', 'longdesc'],
    ['flagtypes.name=review%3F', 'flagtypes.name'],
    ['flagtypes_name=review%3F', 'flagtypes_name'],
    ['blocks=5', 'blocks'],
    ['dependson=5', 'dependson'],
    ['is_confirmed=1', 'is_confirmed'],
    ['cf_anything=1', 'cf_anything'],
    ['cf_kind_type=1', 'cf_kind_type'],
    ['f1=keywords&o1=substring&v1=x', 'f1'],
    ['f7=cc&o7=isempty', 'f7'],
    ['f0=keywords&o0=isnotempty&v0=', 'f0'],
    ['field0-0-0=keywords&type0-0-0=substring&value0-0-0=x', 'field0-0-0'],
    ['email1=a@b.test&emailassigned_to1=1&emailtype1=exact', 'email1'],
    ['email2=a&emailcc2=True', 'email2'],
    ['chfieldfrom=-7d', 'chfieldfrom'],
    ['chfieldto=2024-01-01', 'chfieldto'],
    ['chfield=priority&chfieldvalue=P1', 'chfieldvalue'],
    ['id=1,2&bug_id_type=nowords', 'bug_id_type'],
    ['id=1&bugidtype=exclude', 'bugidtype'],
    ['bug_id=1&bug_id_type=nowords', 'bug_id_type'],
    ['summary=a&summary_type=regexp', 'summary_type'],
    ['assigned_to=a&assigned_to_type=substring', 'assigned_to_type'],
    ['longdescs.count=3&longdescs.count_type=greaterthan', 'longdescs.count_type'],
    ['longdescs_count=3&longdescs_count_type=greaterthan', 'longdescs_count_type'],
    ['status=NEW&bug_status_type=notequals', 'bug_status_type'],
  ])('rejects %s', (query, name) => {
    expect(findRefused(query)).toBe(name)
  })

  test.each([
    'query_format=advanced&list_id=5&columnlist=a&column_list=b&known_name=x&query_based_on=y',
    'format=rdf&ctype=csv&cmdtype=doit&remaction=run&tweak=1&sharer_id=3',
    'limit=0&offset=0&order=x&count_only=1&include_fields=id&exclude_fields=cc',
    'quicksearch=&keywords=&cc=%20&short_desc=&cf_anything=&blocks=',
    'quicksearch=%20,,%20',
    'short_desc_type=allwordssubstr&keywords_type=allwords&longdesc_type=substring&longdesc_initial=1',
    'bug_file_loc_type=regexp&status_whiteboard_type=allwords',
    'cf_kind=&cf_kind_type=anyexact',
    'bug_id_type=anyexact&id=1',
    'bug_id_type=nowords&bug_id=',
    'bugidtype=exclude',
    'bugidtype=include&id=1',
    'summary=a&summary_type=substring',
    'product=a&product_type=equals',
    'creation_time=2024-01-01&creation_ts_type=greaterthaneq',
    'email1=a@b.test&severity=normal',
    'email1=&emailtype1=exact&emailassigned_to1=1',
    'emailtype1=exact',
    'emailassigned_to1=1&emailcc1=1',
    'email1=a&emailassigned_to1=0&emailcc1=false&emailreporter1=',
    'email1=a&emailassigned_to2=1',
    'chfield=priority',
    'chfieldto=Now&chfieldfrom=',
    'chfieldvalue=P1',
    'f1=keywords',
    'f1=keywords&o1=substring',
    'f1=keywords&o1=substring&v1=',
    'f1=&o1=equals&v1=x',
    'f1=noop&o1=noop&v1=x',
    'f1=OP&j1=OR&f2=CP&j_top=OR&n1=1&negate0=1',
    'o1=substring&v1=x',
    'field0-0-0=noop&type0-0-0=noop&value0-0-0=',
    'field0-0-0=keywords&type0-0-0=substring&value0-0-0=',
    'votes=3&nonsense=x&constructor=1&__proto__=1',
  ])('accepts %s', (query) => {
    expect(findRefused(query)).toBeUndefined()
  })

  test.each(['deadline', 'deadlinefrom', 'deadlineto', 'remaining_time', 'work_time'])(
    'rejects %s for the time-tracking group and ignores it for others',
    (name) => {
      expect(findRefused(`${name}=2024-01-01`)).toBeUndefined()
      expect(findRefused(`${name}=2024-01-01`, TRACKER)).toBe(name)
      expect(findRefused(`${name}=`, TRACKER)).toBeUndefined()
    },
  )
})
