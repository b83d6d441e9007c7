import { describe, expect, test } from 'vitest'
import { conditionsOf } from '../../../../src/tracker/search/expression.ts'
import { parse, plain, printOpen } from '../../../support/quicksearch.ts'

const withAddress = (word: string) =>
  plain(word).replace(
    ' OR content',
    ` OR bug_file_loc~${/^[\w.]+$/.test(word) ? word : JSON.stringify(word)} OR content`,
  )

describe('a plain word of a quicksearch', () => {
  test('searches names of products and components when it is longer than two characters', () => {
    expect(printOpen('abc')).toBe(
      'product~abc OR component~abc OR defined_keyword~abc OR alias~abc OR short_desc~abc' +
        ' OR status_whiteboard~abc OR content matches "\\"abc\\""',
    )
    expect(printOpen('ab')).toBe(
      'defined_keyword~ab OR alias~ab OR short_desc~ab OR status_whiteboard~ab' +
        ' OR content matches "\\"ab\\""',
    )
    expect(printOpen('🙂🙂')).not.toContain('product')
  })

  test('is a phrase of comments without its quotes', () => {
    expect(printOpen('a\\"b')).toContain('content matches "\\"a b\\""')
    expect(printOpen('\\"')).not.toContain('content')
  })

  test.each([
    '10.0.0.1',
    'http://x',
    'see:http://a://b',
    'ftp://a',
    'example.test',
    'my-host.example.test:8080/x',
    'localhost',
    'http://localhost:80/x',
    'LOCALHOST:8080',
    'mailto:kim@x.test',
    'http://host:80/a?b',
    'http://host:80/a?b=1',
    'http://host/a?b=1&c=2',
    'file:///etc',
    'com://x',
  ])('searches addresses when it looks like one, as %s does', (word) => {
    expect(printOpen(word)).toBe(withAddress(word))
  })

  test.each(['1.2', 'x.', '.x', 'host', 'host:80', 'host:80/x', 'a::b', 'a=b=c', '=x', '3.5mm'])(
    'is no address when it is %s',
    (word) => {
      expect(printOpen(word)).toBe(plain(word))
    },
  )

  test.each(['-', '#', ':', '@', '[', '!', '?', '+word', 'c++', '100%', 'a_b', '*', '(x)', '?x'])(
    'is %s as it stands',
    (word) => {
      expect(printOpen(word)).toBe(plain(word))
    },
  )

  test('may contain blanks, commas and signs of operators in quotes', () => {
    for (const word of ['summary:x', 'a,b', '@kim', '#x', 'P1', 'review?', 'a=b', ':x', '!x']) {
      expect(printOpen(`"${word}"`)).toBe(plain(word))
      expect(printOpen(`-"${word}"`)).toBe(`NOT (${plain(word)})`)
    }
  })

  test('is any of its parts between commas', () => {
    expect(printOpen('x,"a,b",,P1,"P2"')).toBe(
      `${plain('x')} OR ${plain('a,b')} OR priority in (P1) OR ${plain('P2')}`,
    )
    expect(printOpen('"x",P1')).toBe(`${plain('x')} OR ${plain('P1')}`)
  })
})

describe('a minus in a quicksearch', () => {
  test.each([
    ['-alias:x', 'NOT alias~x'],
    ['NOT -alias:x', 'alias~x'],
    ['--x', `NOT (${plain('-x')})`],
    ['-alias!=x', 'NOT alias!=x'],
    ['-bug_id>5', 'NOT bug_id>5'],
    ['alias:-x', 'alias~-x'],
    ['-alias:x|-alias:y', 'NOT alias~x OR NOT alias~y'],
    ['-review?kim', 'NOT (flagtypes.name~review? AND requestees.login_name~kim)'],
    ['-#x', 'NOT (short_desc~x OR content matches "\\"x\\"")'],
    ['-P2', 'NOT priority in (P2)'],
    ['-P9', 'NOT UNKNOWN'],
  ])('negates the whole of %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })
})

describe('a sign in a quicksearch', () => {
  test.each([
    ['#a,b', 'short_desc~"a,b" OR content matches "\\"a,b\\""'],
    ['#"a b"', 'short_desc~"a b" OR content matches "\\"a b\\""'],
    ['[a,b]', 'short_desc~"a,b]" OR status_whiteboard~"a,b]"'],
    ['@"kim,lee",%user%', 'assigned_to~"kim,lee" OR assigned_to~%user%'],
    [':a:b', 'product~"a:b" OR component~"a:b"'],
    ['!"a b"', 'keywords anywords "a b"'],
    ['@kim?', 'assigned_to~kim?'],
  ])('reads %s', (text, expected) => {
    expect(printOpen(text)).toBe(expected)
  })

  test.each(['@""', '@,', '#","', '!,,', ':""', '["  "'])('asks for nothing in %s', (text) => {
    expect(printOpen(`${text} alias:x`)).toBe('alias~x')
  })
})

describe('a flag in a quicksearch', () => {
  test.each([
    ['review?kim,lee', '(requestees.login_name~kim OR requestees.login_name~lee)'],
    ['review?"kim lee"', 'requestees.login_name~"kim lee"'],
    ['review?%user%', 'requestees.login_name~%user%'],
  ])('asks somebody in %s', (text, person) => {
    expect(printOpen(text)).toBe(`flagtypes.name~review? AND ${person}`)
  })

  test.each(['a?b?', '?a', 'cf_x?', 'CF_x?y', 'review"?"', '"review"?'])('is not %s', (text) => {
    expect(printOpen(text)).toBe(plain(text.replaceAll('"', '')))
  })
})

describe('a priority in a quicksearch', () => {
  test.each([
    ['p2', 'priority in (P2)'],
    ['P0', 'priority in (P1)'],
    ['P4-2', 'priority in (P2, P3, P4)'],
    ['P0-2', 'priority in (P1, P2)'],
    ['P4-9', 'priority in (P4, P5)'],
    ['P6', 'priority in (--)'],
    ['P7', 'UNKNOWN'],
    ['P9,P1', 'UNKNOWN OR priority in (P1)'],
    ['P8-9', 'UNKNOWN'],
    [`P${'9'.repeat(400)}`, 'UNKNOWN'],
    ['P1-', plain('P1-')],
    ['P1x', plain('P1x')],
    ['P', plain('P')],
  ])('is %s', (text, expected) => {
    expect(printOpen(text).replace('"--"', '--')).toBe(expected)
  })

  test('goes by place where priorities have other names', () => {
    const priorities = ['Highest', 'High', 'Normal', 'Low']
    const named = (text: string) =>
      printOpen(text, {
        configuration: {
          signature: '',
          customFields: new Map(),
          statuses: [],
          resolutions: [],
          priorities,
        },
      })
    expect(named('P0')).toBe('priority in (Highest)')
    expect(named('P1')).toBe('priority in (Highest)')
    expect(named('P3-2')).toBe('priority in (High, Normal)')
    expect(named('P3-9')).toBe('priority in (Normal, Low)')
    expect(named('P0-1')).toBe('priority in (Highest)')
    expect(named('P5')).toBe('UNKNOWN')
  })
})

test('what a condition stands for is named in it, for messages', () => {
  const { expression } = parse('ALL -x,"a b" @kim review?lee P1')
  const sources = conditionsOf(expression).map(({ source }) => source)
  expect(new Set(sources)).toEqual(
    new Set(['x', '"a b"', '@kim', 'review?lee', 'P1'].map((part) => `quicksearch '${part}'`)),
  )
})
