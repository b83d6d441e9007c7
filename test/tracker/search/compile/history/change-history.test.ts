import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../../../src/platform/db/sql.ts'
import { FIELD_CATALOGUE } from '../../../../../src/tracker/fields/catalogue.ts'
import { execute, executeBatch } from '../../../../support/database/execute.ts'
import { formsOf } from '../../../../support/search-forms.ts'
import {
  type ChangeCase,
  compileChangeSearch,
  conditionsOf,
  finds,
  insertChangeWorld,
} from '../../../../support/worlds/change-world.ts'

beforeAll(insertChangeWorld)

/** The steps that list the fields that have a history: from each to the next. */
const NAMES_OF_FIELDS = [
  'SEARCH h USING COVERING INDEX history_field',
  'SEARCH h USING COVERING INDEX history_field (field>?)',
]

describe('a condition on changes finds bugs', () => {
  finds([
    ['anyone', 'bug_status everchanged', 'ab'],
    ['anyone', 'not bug_status everchanged', 'cdef'],
    ['anyone', 'bug_status changedbefore 2025-06-02 12:00:00', 'a'],
    ['anyone', 'bug_status changedbefore 2025-06-02', ''],
    ['anyone', 'bug_status changedafter 2025-06-06 12:00', 'b'],
    ['anyone', 'bug_status changedafter 2025-06-06T12:00:01Z', ''],
    ['anyone', 'bug_status changedafter -4d', 'b'],
    ['anyone', 'bug_status changedfrom confirmed', 'ab'],
    ['anyone', 'bug_status changedto Resolved', 'ab'],
    ['anyone', 'bug_status changedto IN_PROGRESS', 'a'],
    ['anyone', 'bug_status changedto PROGRESS', ''],
    ['anyone', 'short_desc changedfrom GRÖSSE', ''],
    ['anyone', 'short_desc changedfrom GRÖßE', 'b'],
    ['anyone', 'keywords changedto crash', ''],
    ['anyone', 'keywords changedto CRASH, perf', 'b'],
    ['anyone', 'everconfirmed changedto 0', 'a'],
    ['anyone', 'bug_file_loc changedto https://one.test/bug/1234', 'a'],
    ['anyone', 'bug_file_loc changedto https://two.test/bug/1234', 'b'],
    ['anyone', 'bug_file_loc changedfrom https://two.test/bug/1234', ''],
    ['anyone', 'cc changedto @ann', 'b'],
    ['anyone', 'bug_status changedby @bob', 'a'],
    ['anyone', 'bug_status changedby nobody@example.test', ''],
    ['anyone', 'keywords.count changedby @ann', 'b'],
    ['anyone', 'anything changedto FIXED', 'a'],
    ['anyone', 'anything changedby @bob', 'abf'],
  ])
})

describe('people of changes are named by a word', () => {
  finds([
    ['ann', 'bug_status changedby %user%', 'ab'],
    ['bob', 'bug_status changedby %self%', 'a'],
    ['anyone', 'bug_status changedby %assignee%', 'ab'],
    ['anyone', 'bug_status changedby %reporter%', ''],
    ['anyone', 'anything changedby %triageowner%', ''],
    ['member', 'bug_status changedby %group.GROUP%', ''],
    ['member', 'not bug_status changedby %group.GROUP%', 'abcdef'],
  ])
})

describe('an unreadable value finds nothing, not even negated', () => {
  finds(
    [
      'bug_status changedafter yesterday',
      'bug_status changedby %user%',
      'bug_status changedby %group.GROUP%',
      'bug_status changedby %whoever%',
      'commenter changedbefore 2025-02-30',
      'creation_ts changedafter soon',
      'longdesc changedafter soon',
      'bug_status changedto resolved & bug_status changedafter soon',
      'bug_status changedto resolved & !bug_status changedafter soon',
    ].flatMap((text): ChangeCase[] => [
      ['anyone', text, ''],
      ['anyone', `not ${text}`, ''],
    ]),
  )
})

describe('conditions of one row are met by one and the same change', () => {
  finds([
    ['anyone', 'bug_status changedto RESOLVED & bug_status changedby @ann', 'b'],
    ['anyone', 'bug_status changedby @bob & bug_status changedbefore 2025-06-03', ''],
    ['anyone', 'bug_status changedafter 2025-06-02 & bug_status changedbefore 2025-06-03', 'a'],
    ['anyone', 'bug_status changedto RESOLVED & !bug_status changedby @bob', 'b'],
    ['anyone', 'bug_status changedby @ann & !bug_status changedto RESOLVED', 'a'],
    ['anyone', '!bug_status everchanged & bug_status everchanged', ''],
    ['anyone', 'not bug_status changedto RESOLVED & bug_status changedby @ann', 'acdef'],
    ['anyone', 'anything changedby @bob & anything changedafter 2025-06-06', 'bf'],
    ['anyone', 'longdesc changedby @ann & longdesc changedafter 2025-06-03', 'c'],
    ['anyone', 'longdesc changedby @ann & longdesc changedafter 2025-06-04', ''],
    ['anyone', 'creation_ts changedafter 2025-06-01 & !creation_ts changedby @bob', 'abdef'],
    // a value that the bug has stands beside the change
    ['anyone', 'bug_status equals CONFIRMED & bug_status changedby @bob', 'a'],
  ])
})

describe('fields whose changes are no rows of history', () => {
  finds([
    ['anyone', 'creation_ts everchanged', 'abcdef'],
    ['anyone', 'creation_ts changedbefore 2025-06-01 12:00:00', 'c'],
    ['anyone', 'creation_ts changedbefore 2025-06-01 11:59:59', ''],
    ['anyone', 'creation_ts changedafter 2025-06-01 12:00:01', 'abdef'],
    ['anyone', 'creation_ts changedby @bob', 'c'],
    ['anyone', 'creation_ts changedto 2025-06-01', ''],
    ['anyone', 'not creation_ts changedfrom x', 'abcdef'],
    ['anyone', 'longdesc everchanged', 'ce'],
    ['anyone', 'longdesc changedto Open.', ''],
    ['anyone', 'longdescs.count changedby @tracker', 'e'],
    ['anyone', 'commenter changedby @ann', ''],
    ['anyone', 'not percentage_complete everchanged', 'abcdef'],
    ['anyone', 'first_comment everchanged', ''],
    ['anyone', 'attachments.count everchanged', ''],
  ])
})

test.each(['anyone', 'ann', 'both'] as const)(
  'every operator works on every field for %s',
  async (reader) => {
    const values = { changedby: '@ann', changedbefore: '2025-06-05', changedafter: '-7d' }
    const texts = Object.keys(FIELD_CATALOGUE).flatMap((field) => [
      `${field} everchanged`,
      `${field} changedfrom x & ${field} changedto 1`,
      ...Object.entries(values).map((pair) => [field, ...pair].join(' ')),
    ])
    const forms = texts.flatMap((text) =>
      Object.values(conditionsOf(compileChangeSearch(reader, text))),
    )
    const selects = forms.map((form) => sql`SELECT count(*) AS n FROM bugs WHERE ${form}`)
    for (let start = 0; start < selects.length; start += 100) {
      const answers = await executeBatch(...selects.slice(start, start + 100))
      expect(answers.filter(([row]) => typeof row?.n !== 'number')).toEqual([])
    }
  },
)

describe('the candidates of a condition on changes', () => {
  async function planOf(text: string): Promise<string[]> {
    const { candidates } = formsOf(compileChangeSearch('ann', text))
    const plan = await execute(sql`EXPLAIN QUERY PLAN ${candidates ?? sql`SELECT 'none'`}`)
    return plan
      .map(({ detail }) => String(detail))
      .filter((detail) => /history|comments/.test(detail))
  }

  test.each<[string, string[]]>([
    [
      'bug_status changedafter -7d',
      ['SEARCH history USING COVERING INDEX history_field (field=? AND changed_at>?)'],
    ],
    [
      'bug_status changedafter -7d & bug_status changedbefore -1d & bug_status changedto RESOLVED',
      [
        'SEARCH history USING INDEX history_added (<expr>=? AND field=? AND changed_at>? AND changed_at<?)',
      ],
    ],
    [
      'bug_status changedto RESOLVED',
      ['SEARCH history USING INDEX history_added (<expr>=? AND field=?)'],
    ],
    [
      'bug_status changedfrom RESOLVED & bug_status changedafter -7d',
      ['SEARCH history USING INDEX history_removed (<expr>=? AND field=?)'],
    ],
    [
      'dependson changedto 1',
      [
        'SEARCH history USING INTEGER PRIMARY KEY (rowid=?)',
        'SEARCH history USING COVERING INDEX history_added (<expr>=? AND field=?)',
        'SEARCH history USING INDEX history_lists (field=?)',
      ],
    ],
    ['anything changedto FIXED & anything changedby %assignee%', []],
    [
      'bug_status changedby @bob & bug_status changedafter -7d',
      [
        'SEARCH history USING INDEX history_author_field (author_id=? AND field=? AND changed_at>?)',
      ],
    ],
    [
      'anything changedby %user%',
      ['SEARCH history USING INDEX history_author_field (author_id=?)'],
    ],
    [
      'anything changedby %user% & anything changedafter -7d',
      [
        'SEARCH history USING INDEX history_author_field (author_id=? AND field=? AND changed_at>?)',
        ...NAMES_OF_FIELDS,
      ],
    ],
    [
      'longdesc changedby @bob & longdesc changedafter -7d',
      ['SEARCH comments USING COVERING INDEX comments_author (author_id=?)'],
    ],
    ['longdesc changedafter -7d', []],
    [
      'anything changedafter -7d',
      [
        'SEARCH history USING COVERING INDEX history_field (field=? AND changed_at>?)',
        ...NAMES_OF_FIELDS,
      ],
    ],
    ['anything changedbefore -7d', []],
    ['bug_status changedby %assignee%', []],
  ])('of %s come from an index', async (text, plan) => {
    expect(await planOf(text)).toEqual(plan)
  })

  test.each([
    'bug_status changedafter -7d & bug_status changedby %user%',
    'anything changedto FIXED & anything changedby %user%',
    'bug_status changedfrom NEW',
  ])('and the test of %s looks at the history of the one bug alone', async (text) => {
    const { test: tested } = compileChangeSearch('ann', text)
    const plan = await execute(sql`EXPLAIN QUERY PLAN SELECT id FROM bugs WHERE ${tested}`)
    const details = plan.map(({ detail }) => String(detail))
    expect(details.filter((detail) => /\bhistory\b/.test(detail))).toEqual([
      expect.stringMatching(/^SEARCH history( EXISTS)? USING INDEX history_bug \(bug_id=\?/),
    ])
  })

  test.each([
    ['bug_status changedafter -7d', /USING INDEX history_field \(field=\? AND changed_at>\?\)/],
    ['bug_status changedto RESOLVED', /USING INDEX history_added \(<expr>=\? AND field=\?\)/],
    ['bug_status changedfrom RESOLVED', /USING INDEX history_removed \(<expr>=\? AND field=\?\)/],
    [
      'bug_status changedby %user%',
      /USING INDEX history_author_field \(author_id=\? AND field=\?\)/,
    ],
  ])('and all that meet %s are found by the same index', async (text, index) => {
    const { lead = sql`1` } = formsOf(compileChangeSearch('ann', text))
    const plan = await execute(sql`EXPLAIN QUERY PLAN SELECT id FROM bugs WHERE ${lead}`)
    const details = plan.map(({ detail }) => String(detail)).join('\n')
    expect(details).toMatch(/^SEARCH bugs USING INTEGER PRIMARY KEY \(rowid=\?\)/)
    expect(details).toMatch(index)
  })
})
