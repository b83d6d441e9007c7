import { describe, expect, test } from 'vitest'
import { mergeSavedSearch } from '../../../src/tracker/saved-searches/merge.ts'
import { parseQueryString } from '../../../src/tracker/saved-searches/query.ts'

/** The merged parameters as a query string, sorted. */
function merge(request: string, saved: string): string {
  const merged = mergeSavedSearch(parseQueryString(request), saved)
  return Object.entries(merged)
    .flatMap(([name, values]) => values.map((value) => `${name}=${value}`))
    .sort()
    .join('&')
}

describe('a saved search below a request', () => {
  test.each([
    ['adds its criteria', '', 'product=a&status=b', 'product=a&status=b'],
    ['keeps criteria of the request', 'version=1', 'product=a', 'product=a&version=1'],
    [
      'loses a criterion that is given again',
      'product=b&product=c',
      'product=a',
      'product=b&product=c',
    ],
    ['loses it under another name', 'status=b', 'bug_status=a', 'status=b'],
    ['loses its operator too', 'summary=x', 'short_desc=y&short_desc_type=regexp', 'summary=x'],
    [
      'takes an operator',
      'summary_type=regexp',
      'summary=x&summary_type=substring',
      'summary=x&summary_type=regexp',
    ],
    ['loses the kind of IDs with the IDs', 'id=1', 'bug_id=2&bugidtype=nowexclude', 'id=1'],
    [
      'keeps what a blank value names',
      'product=&status=+',
      'product=a&status=b',
      'product=a&status=b',
    ],
    ['loses a resolution to a blank one', 'resolution=', 'resolution=FIXED', 'resolution='],
    ['keeps values that are lists', '', 'product=a&product=b', 'product=a&product=b'],
    ['keeps its order', 'version=1', 'product=a&order=id', 'order=id&product=a&version=1'],
    [
      'loses its order to another',
      'order=priority',
      'product=a&order=id',
      'order=priority&product=a',
    ],
    [
      'decides no paging and selection',
      '',
      'id=1&limit=1&offset=1&count_only=1&include_fields=id&exclude_fields=x&callback=f',
      'id=1',
    ],
    [
      'is named by no criterion',
      'savedsearch=x&sharer_id=1&namedcmd=x&cmdtype=dorem&remaction=run',
      'id=1',
      'id=1',
    ],
    ['runs no other saved search', '', 'id=1&cmdtype=doit&namedcmd=x&savedsearch=', 'id=1'],
    ['keeps custom fields', 'cf_a=1', 'cf_a=2&cf_a_type=equals&cf_b=3', 'cf_a=1&cf_b=3'],
    [
      'loses its rows as a whole',
      'f1=cc&o1=equals&v1=x',
      'f1=alias&o1=regexp&v1=y&n1=1&f2=OP&j2=OR&f3=CP&j_top=OR',
      'f1=cc&o1=equals&v1=x',
    ],
    [
      'keeps its rows without others',
      'j_top=OR',
      'f1=alias&o1=isempty',
      'f1=alias&j_top=OR&o1=isempty',
    ],
    [
      'loses its charts as a whole',
      'field0-0-0=cc&type0-0-0=equals&value0-0-0=x',
      'field1-0-0=a&type1-0-0=b&value1-0-0=c&negate1=1',
      'field0-0-0=cc&type0-0-0=equals&value0-0-0=x',
    ],
    [
      'loses one block of people',
      'email1=a&emailcc1=1',
      'email1=b&emailassigned_to1=1&emailtype1=exact&email2=c&emailcc2=1',
      'email1=a&email2=c&emailcc1=1&emailcc2=1',
    ],
    [
      'loses its changes as a whole',
      'chfieldfrom=-7d',
      'chfield=priority&chfieldvalue=P1&chfieldto=Now',
      'chfieldfrom=-7d',
    ],
    [
      'loses its deadlines',
      'deadline=2024-01-01',
      'deadlinefrom=2020-01-01&deadlineto=2021-01-01',
      'deadline=2024-01-01',
    ],
    [
      'keeps what an unknown name sounds like',
      'rows=5&type_type=1',
      'f1=cc&o1=isempty',
      'f1=cc&o1=isempty&rows=5&type_type=1',
    ],
    [
      'loses a description with its operator',
      'description=x',
      'description=y&description_type=substring',
      'description=x',
    ],
    ['is known in any case', 'STATUS=b&F1=cc', 'bug_status=a&f1=x&n1=1', 'F1=cc&STATUS=b'],
    ['is combined with words', 'quicksearch=x', 'product=a', 'product=a&quicksearch=x'],
    ['loses its words to others', 'quicksearch=x', 'quicksearch=y', 'quicksearch=x'],
  ])('%s: %j and %j', (_, request, saved, merged) => {
    expect(merge(request, saved)).toBe(merged)
  })

  test('takes any name for a parameter', () => {
    const merged = mergeSavedSearch(parseQueryString('constructor=1'), '__proto__=2&toString=3')
    expect(Object.entries(merged)).toEqual([
      ['__proto__', ['2']],
      ['toString', ['3']],
      ['constructor', ['1']],
    ])
  })
})
