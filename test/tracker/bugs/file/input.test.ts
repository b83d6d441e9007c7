import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../src/platform/faults/fault.ts'
import { assertKnownKeys, fileBugInput } from '../../../../src/tracker/bugs/file/input.ts'

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

describe('the body of POST /bug', () => {
  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['accepts numbers for texts', { version: 2, summary: 7 }, { version: '2', summary: '7' }],
    [
      'takes null for absent',
      { summary: null, groups: null, cc: null, type: null, is_cc_accessible: null },
      {
        summary: undefined,
        groups: undefined,
        cc: undefined,
        type: undefined,
        is_cc_accessible: undefined,
      },
    ],
    ['keeps an empty list', { groups: [], cc: [] }, { groups: [], cc: [] }],
    ['accepts a scalar as a list of one', { cc: 'a@x.test' }, { cc: ['a@x.test'] }],
    ['splits CC on commas and semicolons', { cc: 'a@x; b@y,c@z' }, { cc: ['a@x', 'b@y', 'c@z'] }],
    [
      'splits keywords on white space and commas, in a list as well',
      { keywords: ['k1,k2', ' k3 k4 '] },
      { keywords: ['k1', 'k2', 'k3', 'k4'] },
    ],
    [
      'accepts relations as numbers, as strings and joined',
      { dependson: [1, '2', 'a,b'], blocked: '3 4', blocks: 5, regressed_by: ['#6'] },
      { dependson: ['1', '2', 'a', 'b'], blocked: ['3', '4'], blocks: ['5'], regressed_by: ['#6'] },
    ],
    [
      'splits group names on commas and keeps their spaces',
      { groups: 'Core security, Web' },
      { groups: ['Core security', 'Web'] },
    ],
    ['keeps commas in a list of group names', { groups: ['A, B'] }, { groups: ['A, B'] }],
    ['skips blank items', { cc: ['', ' ', 'a@x', null] }, { cc: ['a@x'] }],
    ['accepts a list of one alias', { alias: ['crash'] }, { alias: 'crash' }],
    ['takes an empty list for no alias', { alias: [] }, { alias: null }],
    ['accepts a boolean as a string', { is_cc_accessible: 'false' }, { is_cc_accessible: false }],
    [
      'accepts a single comment tag as a list',
      { comment_tags: 'later' },
      { comment_tags: ['later'] },
    ],
    ['accepts a single flag as a list', { flags: { type_id: '7' } }, { flags: [{ type_id: 7 }] }],
    ['accepts a boolean as a number', { comment_is_private: 1 }, { comment_is_private: true }],
  ])('%s', (_, body, expected) => {
    expect(read(body)).toMatchObject(expected)
  })

  test.each([
    { summary: ['a', 'b'] },
    { summary: true },
    { product: { name: 'x' } },
    { alias: ['a', 'b'] },
    { cc: { add: ['a@x'] } },
    { cc: [['a@x']] },
    { keywords: [{ name: 'k' }] },
    { is_cc_accessible: [] },
    { flags: ['review'] },
    { comment_tags: [{ name: 'later' }] },
  ])('rejects %j', (body) => {
    expect(read(body)).toBe('refused')
  })
})

describe('the keys of POST /bug', () => {
  const ignored = [
    ...['id', 'id_or_alias', 'creator', 'reporter', 'creation_time', 'last_change_time'],
    ...['last_change_time_non_bot', 'is_confirmed', 'is_open', 'classification', 'triage_owner'],
    ...['comment_count', 'counts', 'duplicates', 'actual_time', 'history', 'update_token'],
    'dupe_of',
    ...['login', 'password', 'callback', 'permissive', 'column_list', 'attachment_id'],
    ...['cc_detail', 'assigned_to_detail', 'include_fields', 'exclude_fields'],
    ...['tags', 'comments', 'attachments'],
  ]
  test.each(ignored)('include %s, which is ignored', (key) => {
    expect(keyRefused({ [key]: 'x' })).toBeUndefined()
  })

  test.each(['colour', 'summry', 'bug_state', 'minor_update', 'constructor'])(
    'do not include %s, which is rejected with 53',
    (key) => {
      expect(keyRefused({ [key]: '' })).toBe(`'${key}' is not a field of a new bug.`)
    },
  )
})
