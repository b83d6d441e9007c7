import { describe, expect, test } from 'vitest'
import { findRefusal, parseQuery, TRACKER } from '../../../support/search/parse-query.ts'

describe('a search for changes', () => {
  test.each([
    ['chfield=alias', 'NONE'],
    ['chfield=alias&chfieldfrom=Now&chfieldto=now', 'NONE'],
    ['chfield=nonsense', 'NONE'],
    ['chfieldvalue=x', 'NONE'],
    ['chfieldfrom=-7d', 'delta_ts greaterthaneq "-7d"'],
    ['chfieldfrom=-7d&chfieldto=Now', 'delta_ts greaterthaneq "-7d"'],
    [
      'chfieldfrom=2014-12-01&chfieldto=2014-12-05',
      '(delta_ts greaterthaneq "2014-12-01" AND delta_ts lessthaneq "2014-12-05 23:59:59")',
    ],
    ['chfieldto=2014-12-05 10:00', 'delta_ts lessthaneq "2014-12-05 10:00"'],
    ['chfieldto=-1d&chfieldvalue=x', 'delta_ts lessthaneq "-1d"'],
    ['chfield=Status&chfieldvalue=NEW', 'bug_status changedto "NEW"'],
    [
      'chfield=bug_status&chfieldfrom=-7d&chfieldto=2024-01-01&chfieldvalue=NEW',
      'SAME ROW(bug_status changedafter "-7d", bug_status changedbefore "2024-01-01 23:59:59", bug_status changedto "NEW")',
    ],
    [
      'chfield=status&chfield=Alias&chfield=bug_status&chfieldvalue=x',
      '(bug_status changedto "x" OR alias changedto "x")',
    ],
    [
      'chfield=status,cc&chfieldfrom=-1d',
      '(bug_status changedafter "-1d" OR cc changedafter "-1d")',
    ],
    ['chfield=[Bug creation]&chfieldfrom=-7d', 'creation_ts changedafter "-7d"'],
    [
      'chfield=[Bug Creation]&chfield=Alias&chfieldvalue=foo',
      '(creation_ts changedto "foo" OR alias changedto "foo")',
    ],
    [
      'chfield=[bug creation]&chfieldfrom=-7d&chfieldto=-1d',
      '(creation_ts changedafter "-7d" AND creation_ts changedbefore "-1d")',
    ],
    ['chfield=cf_single&chfieldvalue=a', 'cf_single changedto "a"'],
    ['chfield=cc_count&chfieldvalue=1', 108],
    ['chfield=keywords.count&chfieldvalue=1', 32000],
    ['chfield=owner_idle_time&chfieldfrom=-1d', 32000],
  ])('is about one change of a field: %s', (query, expression) => {
    expect(parseQuery(query)).toBe(expression)
  })

  test('refuses a field that does not exist, and hours that are not for the caller', () => {
    expect(findRefusal('chfield=statsu&chfieldvalue=x')).toMatch(
      /^chfield names 'statsu'.*'status'/,
    )
    expect(parseQuery('chfield=estimated_time&chfieldvalue=1')).toBe(108)
    expect(parseQuery('chfield=estimated_time&chfieldvalue=1', TRACKER)).toBe(
      'estimated_time changedto "1"',
    )
  })
})
