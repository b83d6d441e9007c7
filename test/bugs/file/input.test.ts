import { describe, expect, test } from 'vitest'
import { assertKnownKeys, fileBugInput } from '../../../src/bugs/file/input.ts'
import { Fault } from '../../../src/faults.ts'

function read(body: Record<string, unknown>): Record<string, unknown> | 'refused' {
  const parsed = fileBugInput.safeParse(body)
  return parsed.success ? parsed.data : 'refused'
}

function keyRefused(body: Record<string, unknown>): string | undefined {
  try {
    assertKnownKeys(fileBugInput.parse(body))
    return undefined
  } catch (error) {
    return error instanceof Fault && error.code === 53 ? error.message : 'another error'
  }
}

describe('the body of a new bug', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['numbers are texts', { version: 2, summary: 7 }, { version: '2', summary: '7' }],
    [
      'null is absent',
      { summary: null, groups: null, cc: null, type: null, is_cc_accessible: null },
      {
        summary: undefined,
        groups: undefined,
        cc: undefined,
        type: undefined,
        is_cc_accessible: undefined,
      },
    ],
    ['an empty list is one', { groups: [], cc: [] }, { groups: [], cc: [] }],
    ['a scalar is a list of one', { cc: 'a@x.test' }, { cc: ['a@x.test'] }],
    ['CC splits on commas and semicolons', { cc: 'a@x; b@y,c@z' }, { cc: ['a@x', 'b@y', 'c@z'] }],
    [
      'keywords split on blanks and commas, in a list as well',
      { keywords: ['k1,k2', ' k3 k4 '] },
      { keywords: ['k1', 'k2', 'k3', 'k4'] },
    ],
    [
      'relations come as numbers, as texts and joined',
      { dependson: [1, '2', 'a,b'], blocked: '3 4', blocks: 5, regressed_by: ['#6'] },
      { dependson: ['1', '2', 'a', 'b'], blocked: ['3', '4'], blocks: ['5'], regressed_by: ['#6'] },
    ],
    [
      'group names may hold blanks, and in a list commas',
      { groups: 'Core security, Web' },
      { groups: ['Core security', 'Web'] },
    ],
    ['a list of group names is left whole', { groups: ['A, B'] }, { groups: ['A, B'] }],
    ['blank items are skipped', { cc: ['', ' ', 'a@x', null] }, { cc: ['a@x'] }],
    ['an alias may be a list of one', { alias: ['crash'] }, { alias: 'crash' }],
    ['an empty list is no alias', { alias: [] }, { alias: null }],
    ['truth has many spellings', { is_cc_accessible: 'false' }, { is_cc_accessible: false }],
    ['one tag is a list', { comment_tags: 'later' }, { comment_tags: ['later'] }],
    ['one flag is a list', { flags: { type_id: '7' } }, { flags: [{ type_id: 7 }] }],
    ['truth is also a number', { comment_is_private: 1 }, { comment_is_private: true }],
  ])('%s', (_, body, expected) => {
    expect(read(body)).toMatchObject(expected)
  })

  test.each([
    { summary: ['a'] },
    { summary: true },
    { product: { name: 'x' } },
    { alias: ['a', 'b'] },
    { cc: { add: ['a@x'] } },
    { cc: [['a@x']] },
    { keywords: [{ name: 'k' }] },
    { is_cc_accessible: [] },
    { flags: ['review'] },
    { comment_tags: [{ name: 'later' }] },
  ])('%j has a wrong form', (body) => {
    expect(read(body)).toBe('refused')
  })
})

describe('the keys of a new bug', () => {
  const ignored = [
    ...['id', 'id_or_alias', 'creator', 'reporter', 'creation_time', 'last_change_time'],
    ...['last_change_time_non_bot', 'is_confirmed', 'is_open', 'classification', 'triage_owner'],
    ...['comment_count', 'counts', 'duplicates', 'actual_time', 'history', 'update_token'],
    'dupe_of',
    ...['login', 'password', 'callback', 'permissive', 'column_list', 'attachment_id'],
    ...['cc_detail', 'assigned_to_detail', 'include_fields', 'exclude_fields'],
    ...['tags', 'comments', 'attachments'],
  ]
  test.each(ignored)('%s may come along and counts for nothing', (key) => {
    expect(keyRefused({ [key]: 'x' })).toBeUndefined()
  })

  test.each(['colour', 'summry', 'bug_state', 'minor_update', 'constructor'])(
    '%s is unknown',
    (key) => {
      expect(keyRefused({ [key]: '' })).toBe(`'${key}' is not a field of a new bug.`)
    },
  )
})
