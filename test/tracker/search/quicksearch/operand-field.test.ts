import { describe, expect, test } from 'vitest'
import { SYSTEM } from '../../../../src/platform/access/caller.ts'
import { conditionsOf } from '../../../../src/tracker/search/expression.ts'
import {
  catchRefusal,
  parse,
  personWith,
  plain,
  print,
  printOpen,
} from '../../../support/quicksearch.ts'

describe('a field in a quicksearch', () => {
  test.each([
    ['alias:x', 'alias~x'],
    ['alias=x', 'alias=x'],
    ['alias!=x', 'alias!=x'],
    ['alias>=x', 'alias>=x'],
    ['alias<=x', 'alias<=x'],
    ['alias>x', 'alias>x'],
    ['alias<x', 'alias<x'],
    ['ALIAS:x', 'alias~x'],
  ])('is compared by the symbol of %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test.each([
    ['alias:a=b', 'alias~"a=b"'],
    ['alias=a:b', 'alias="a:b"'],
    ['url=http://x', 'bug_file_loc="http://x"'],
    ['url:"http://x"', 'bug_file_loc~"http://x"'],
    ['url://x', 'bug_file_loc~"//x"'],
    ['url:"a:b"', 'bug_file_loc~"a:b"'],
    ['alias==x', plain('alias==x')],
    ['alias!=a=b', 'alias!="a=b"'],
    ['alias>=a>b', 'alias>="a>b"'],
    ['alias>=a>=b', plain('alias>=a>=b')],
    ['alias<>x', 'alias<">x"'],
    [
      'url:http://x',
      plain('url:http://x').replace(' OR content', ' OR bug_file_loc~"url:http://x" OR content'),
    ],
    ['os:80', 'op_sys~80'],
    ['summary:what?', 'short_desc~what?'],
    ['ali"as":x', 'alias~x'],
  ])('is split at the right place in %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test.each([
    ['alias,summary:a,b', 'alias~a OR alias~b OR short_desc~a OR short_desc~b'],
    ['alias,,al:x', 'alias~x'],
    [',alias:,x,', 'alias~x'],
    ['alias:"a b",c', 'alias~"a b" OR alias~c'],
    ["alias:'a b'", 'alias~"a b"'],
    ['alias:a|b', `alias~a OR ${plain('b')}`],
    ['summary: foo', plain('foo')],
    ['alias:x OR summary:', 'alias~x'],
    ['alias:-2', 'alias~-2'],
  ])('has the values of %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test.each([
    ['alias=""', 'alias isempty'],
    ['alias!=""', 'alias isnotempty'],
    ['alias:""', 'alias isempty'],
    ["alias:''", 'alias isempty'],
    ['alias:" "', 'alias isempty'],
    ['alias:x,""', 'alias~x OR alias isempty'],
    ['-alias:""', 'NOT alias isempty'],
  ])('is empty in %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test.each([
    ['resolution:---', 'resolution isempty'],
    ['resolution!=---', 'resolution isnotempty'],
    ['resolution=FIXED,---', 'resolution=FIXED OR resolution isempty'],
    ['res:"---"', 'resolution isempty'],
  ])('is the empty resolution in %s', (text, expected) => {
    expect(print(text)).toBe(expected)
  })

  test.each([
    ['content:x', 'content matches x'],
    ['content=x', 'content matches x'],
    ['content!=x', 'content notmatches x'],
    ['owner_idle_time:60d', 'owner_idle_time>60d'],
    ['owner_idle_time>=60d', 'owner_idle_time>60d'],
    ['owner_idle_time<60d', 'owner_idle_time<60d'],
    ['owner_idle_time!=60d', 'NOT owner_idle_time>60d'],
    ['flag:review?kim', 'flagtypes.name~review? AND requestees.login_name~kim'],
    ['flag=review?kim', 'flagtypes.name=review? AND requestees.login_name=kim'],
    ['flag!=review?kim', 'NOT (flagtypes.name=review? AND requestees.login_name=kim)'],
    ['flag!=review+', 'flagtypes.name!=review+'],
    ['flag>review?kim', 'flagtypes.name>review?kim'],
    ['flag:"review?kim"', 'flagtypes.name~review?kim'],
    ['flag,alias:a?b', '(flagtypes.name~a? AND requestees.login_name~b) OR alias~a?b'],
  ])('has its own comparison in %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test('is a custom one by its name with and without the prefix', () => {
    expect(printOpen('cf_build=7')).toBe('cf_build=7')
    expect(printOpen('bui>7')).toBe('cf_build>7')
    expect(catchRefusal('crash:x')).toContain('cf_crash_count, cf_crash_signature;')
  })

  test('names itself in its conditions, for messages', () => {
    const { expression } = parse('ALL alias,summary:x,"a b"')
    const sources = conditionsOf(expression).map(({ source }) => source)
    expect(new Set(sources)).toEqual(new Set(['quicksearch \'alias,summary:x,"a b"\'']))
  })
})

describe('a field in a quicksearch is refused', () => {
  test.each([
    ['foo:bar', "'foo' at character 1, which is no field"],
    ['x foo=80', "'foo' at character 3, which is no field"],
    ['foo=http://x', "'foo' at character 1, which is no field"],
    ['foo:', "'foo' at character 1, which is no field"],
    ['alias,foo:x', "'foo' at character 7, which is no field"],
    ['-foo:x', "'foo' at character 2, which is no field"],
    ['a|foo:x', "'foo' at character 3, which is no field"],
    ['a::b=c', "'a::b' at character 1, which is no field"],
    ['com:x', 'which may be short for comment, comment_tag, commenter, component'],
    ['com:80', 'which may be short for comment, comment_tag, commenter, component'],
    ['reporter_accessible:true', 'which is no field'],
    ['keywords.count>1', 'which is no field'],
  ])('with 32000 in %s', (text, expected) => {
    expect(catchRefusal(text)).toMatch(/^32000 /)
    expect(catchRefusal(text)).toContain(expected)
  })

  test.each(['deadline', 'dea', 'estimated_time', 'rem', 'work_time', 'percentage_complete'])(
    'with 108 when it is %s, unless the caller tracks time',
    (name) => {
      expect(catchRefusal(`x ${name}>1`)).toMatch(/^108 quicksearch names '/)
      expect(catchRefusal(`x ${name}>1`, { caller: personWith('insider') })).toMatch(/^108 /)
      expect(catchRefusal(`${name}>1`, { caller: personWith('timetracking') })).toMatch(/>1$/)
      expect(catchRefusal(`${name}>1`, { caller: SYSTEM })).toMatch(/>1$/)
    },
  )
})
