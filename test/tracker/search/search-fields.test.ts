import { describe, expect, test } from 'vitest'
import { ANONYMOUS } from '../../../src/platform/access/caller.ts'
import { FIELD_TYPE } from '../../../src/platform/db/schema/fields.ts'
import { FIELD_CATALOGUE } from '../../../src/tracker/fields/catalogue.ts'
import { EMPTY_CONFIGURATION } from '../../../src/tracker/search/configuration.ts'
import {
  FIRST_COMMENT,
  findSearchField,
  maySearchBy,
  searchParameterNames,
} from '../../../src/tracker/search/search-fields.ts'
import { buildCaller } from '../../support/builders/callers.ts'

const PERSON = { id: 1, login: '', key: '' }
const TRACKER = buildCaller(PERSON, ['timetracking'])
const INSIDER = buildCaller(PERSON, ['insider'])
const CONFIGURATION = {
  ...EMPTY_CONFIGURATION,
  customFields: new Map(
    Object.entries(FIELD_TYPE).map(([name, type], n) => [
      `cf_${name.toLowerCase()}`,
      { id: n + 1, type },
    ]),
  ),
}

describe('a search field', () => {
  test.each([
    ['bug_status', 'bug_status'],
    ['status', 'bug_status'],
    [' Status ', 'bug_status'],
    ['id', 'bug_id'],
    ['summary', 'short_desc'],
    ['opendate', 'creation_ts'],
    ['changeddate', 'delta_ts'],
    ['changedin', 'days_elapsed'],
    ['longdescs_count', 'longdescs.count'],
    ['comment_count', 'longdescs.count'],
    ['attachments_mimetype', 'attachments.mimetype'],
    ['flag', 'flagtypes.name'],
    ['groups', 'bug_group'],
    ['cf_single', 'cf_single'],
    ['CF_SINGLE', 'cf_single'],
    ['cf_none', undefined],
    ['attach_data.thedata', undefined],
    [FIRST_COMMENT.name, undefined],
    ['constructor', undefined],
    ['', undefined],
  ])('named %j is %s', (name, expected) => {
    expect(findSearchField(name, CONFIGURATION, ANONYMOUS)?.name).toBe(expected)
  })

  test.each([
    'deadline',
    'estimated_time',
    'remaining_time',
    'work_time',
    'actual_time',
    'percentage_complete',
  ])('%s is there for members of timetracking alone', (name) => {
    expect(findSearchField(name, CONFIGURATION, TRACKER)).toBeDefined()
    expect(findSearchField(name, CONFIGURATION, INSIDER)).toBeUndefined()
    expect(findSearchField(name, CONFIGURATION, ANONYMOUS)).toBeUndefined()
  })

  test('longdescs.isprivate is known to all, and for insiders to search by', () => {
    const field = findSearchField('longdescs.isprivate', CONFIGURATION, ANONYMOUS)
    expect(field && [ANONYMOUS, TRACKER, INSIDER].map((who) => maySearchBy(field, who))).toEqual([
      false,
      false,
      true,
    ])
  })

  test.each([
    ['freeText', 'text'],
    ['single', 'select'],
    ['multi', 'set'],
    ['largeText', 'text'],
    ['datetime', 'date'],
    ['bugId', 'number'],
    ['date', 'date'],
    ['integer', 'number'],
  ])('of the custom type %s is a %s', (type, family) => {
    expect(findSearchField(`cf_${type}`, CONFIGURATION, ANONYMOUS)?.family).toBe(family)
  })

  test('has every name once', () => {
    const names = searchParameterNames().flatMap((name) =>
      name.includes('.') ? [name, name.replaceAll('.', '_')] : [name],
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names).toEqual(expect.arrayContaining(Object.keys(FIELD_CATALOGUE)))
  })
})
