import { describe, expect, test } from 'vitest'
import { EMPTY_CONFIGURATION } from '../../../../src/tracker/search/configuration.ts'
import {
  hasStatusParameter,
  needsConfiguration,
  parseParameters,
} from '../../../../src/tracker/search/parameters/parse.ts'
import {
  CONFIGURATION,
  findRefusal,
  parseQuery,
  readQuery,
  TRACKER,
} from '../../../support/search/parse-query.ts'
import { printExpression } from '../../../support/search/print-expression.ts'

/** Conditions as `count` rows of the custom search. */
function repeatRow(count: number): string {
  return Array.from({ length: count }, (_, index) => `f${index}=cc&o${index}=isempty`).join('&')
}

describe('all parts of a search', () => {
  test('have to match', () => {
    expect(
      parseQuery(
        'deadlineto=2024-01-01&f1=alias&o1=isempty&field0-0-0=cc&type0-0-0=isempty&chfieldfrom=-1d&email1=a&emailcc1=1&id=1',
        TRACKER,
      ),
    ).toBe(
      '(bug_id anyexact "1" AND cc equals "a" AND delta_ts greaterthaneq "-1d" AND deadline lessthaneq "2024-01-01" AND cc isempty AND alias isempty)',
    )
  })

  test('stay outside of the alternatives of a custom search', () => {
    expect(parseQuery('id=1&chfieldfrom=-1d&j_top=OR&f1=cc&o1=isempty&f2=alias&o2=isempty')).toBe(
      '(bug_id anyexact "1" AND delta_ts greaterthaneq "-1d" AND (cc isempty OR alias isempty))',
    )
  })
})

describe('what is no criterion', () => {
  test.each([
    '',
    'limit=5&offset=0&order=bug_id&count_only=1&include_fields=id&exclude_fields=cc',
    'query_format=advanced&format=json&ctype=js&list_id=1&columnlist=all&column_list=x&known_name=a',
    'query_based_on=a&cmdtype=runnamed&remaction=run&tweak=1&callback=f&token=t&login=l&password=p',
    'api_key=k&Tracker_api_key=k',
    'quicksearch=crash&savedsearch=mine',
    'short_desc_type=allwords&emailtype1=exact&emailcc1=1&j_top=OR&longdesc_initial=1&bugidtype=include',
    'votes=1&nonsense=1&nonsense_type=equals',
    'chfield=alias&chfieldto=Now',
    'deadlinefrom=2024-01-01&status=__all__',
  ])('is left out: %s', (query) => {
    expect(parseQuery(query)).toBe('NONE')
  })
})

describe('the requests of existing clients', () => {
  test.each([
    [
      'email1=a@b.c&emailassigned_to1=1&emailtype1=exact&resolution=---&list_id=7&query_format=advanced',
      '(resolution anyexact "---" AND assigned_to equals "a@b.c")',
    ],
    ['email1=a@b.c&severity=normal', 'bug_severity anyexact "normal"'],
    [
      'bug_status=NEW&bug_severity=high&tag=x&short_desc=y',
      '(bug_status anyexact "NEW" AND bug_severity anyexact "high" AND tag anyexact "x" AND short_desc allwordssubstr "y")',
    ],
    ['longdesc=x&longdesc_type=allwordssubstr', 'longdesc allwordssubstr "x"'],
    ['id=1,2,3&include_fields=id', 'bug_id anyexact "1" "2" "3"'],
    [
      'keywords=a,b&keywords_type=anywords&bug_id=5&bug_id_type=nowords&status_whiteboard=w&status_whiteboard_type=notregexp',
      '(keywords anywords "a,b" AND bug_id nowords "5" AND status_whiteboard notregexp "w")',
    ],
    [
      'j_top=OR&f1=days_elapsed&o1=greaterthan&v1=30&f2=OP&j2=AND_G&n2=1&f3=attachments.mimetype&o3=equals&v3=text/x-a&f4=attachments.mimetype&o4=notsubstring&v4=b&f5=CP&f6=regressed_by&o6=isnotempty',
      '(days_elapsed greaterthan "30" OR NOT SAME ROW(attachments.mimetype equals "text/x-a", NOT attachments.mimetype substring "b") OR regressed_by isnotempty)',
    ],
  ])('are understood: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test.each(
    `keywords days_elapsed creation_ts longdesc product component bug_severity flagtypes.name resolution
      regressed_by status_whiteboard reporter priority blocked bug_type attachments.mimetype cf_single short_desc
      delta_ts bug_group see_also_count longdescs.count dupe_count dependson cc_count assigned_to
      setters.login_name commenter bug_id attachments.isobsolete attachments.count tag`.split(
      /\s+/,
    ),
  )('search by %s', (field) => {
    for (const operator of `equals greaterthan anyexact nowords casesubstring lessthan notsubstring
      greaterthaneq isnotempty substring notequals nowordssubstr isempty lessthaneq anywordssubstr anywords
      allwords allwordssubstr regexp notregexp`.split(/\s+/)) {
      const value = /empty$/.test(operator) ? '' : ' "1"'
      expect(parseQuery(`f1=${field}&o1=${operator}&v1=1`)).toBe(`${field} ${operator}${value}`)
    }
  })
})

describe('the size of a search', () => {
  test('is 300 conditions at most, where every word counts', () => {
    expect(parseQuery(repeatRow(300))).not.toBe(32000)
    expect(findRefusal(repeatRow(301))).toContain('it has 301 conditions')
    const words = Array.from({ length: 301 }, (_, index) => index).join(',')
    expect(parseQuery(`short_desc=${words}`)).toBe(32000)
    expect(parseQuery(`keywords=${words}&keywords_type=nowords`)).toBe(32000)
  })

  test('does not count the elements of a list', () => {
    const ids = Array.from({ length: 1000 }, (_, index) => index).join(',')
    expect(parseQuery(`id=${ids}`)).toMatch(/^bug_id anyexact/)
  })
})

describe('needsConfiguration', () => {
  test.each([
    ['product=a&status=__open__&id=1', false],
    ['email1=a&emailcc1=1&filed_via=a&flag=a', false],
    ['cf_single=', false],
    ['cf_single=a', true],
    ['f1=cc', true],
    ['field0-0-0=cc', true],
    ['chfield=cc', true],
    ['quicksearch=a', true],
    ['savedsearch=a', true],
  ])('is true where names of the configuration may occur: %s', (query, expected) => {
    expect(needsConfiguration(readQuery(query))).toBe(expected)
  })

  test('is false only for what is parsed alike without the configuration', () => {
    const parameters = readQuery('status=__open__&priority=P1&resolution=---&summary=a&keywords=b')
    const [without, withOne] = [EMPTY_CONFIGURATION, CONFIGURATION].map((configuration) =>
      parseParameters(parameters, { caller: TRACKER, configuration }),
    )
    expect(without && printExpression(without)).toBe(withOne && printExpression(withOne))
  })
})

test.each([
  ['status=NEW', true],
  ['bug_status=__all__', true],
  ['resolution=', true],
  ['status=', false],
  ['severity=a', false],
])(
  'hasStatusParameter tells whether a status or resolution is asked for: %s',
  (query, expected) => {
    expect(hasStatusParameter(readQuery(query))).toBe(expected)
  },
)
