import { describe, expect, test } from 'vitest'
import { commentText } from '../../../../src/tracker/bugs/change/comment.ts'
import { changeBugInput } from '../../../../src/tracker/bugs/change/input.ts'

type Body = Record<string, unknown>

function read(body: Body) {
  return changeBugInput.parse({ id_or_alias: '1', ...body })
}

function isReadable(body: Body): boolean {
  return changeBugInput.safeParse({ id_or_alias: '1', ...body }).success
}

describe('the body of PUT /bug', () => {
  test.each<[string, Body, Body]>([
    ['accepts IDs as numbers and as strings', { ids: [1, '2'] }, { ids: ['1', '2'] }],
    ['accepts a single ID as a list', { ids: 7 }, { ids: ['7'] }],
    [
      'accepts null to clear a field',
      { alias: null, qa_contact: null },
      { alias: null, qa_contact: null },
    ],
    ['accepts a list of one alias', { alias: ['a'] }, { alias: 'a' }],
    ['accepts an edit of the alias', { alias: { set: ['a'] } }, { alias: 'a' }],
    ['accepts an edit without an alias', { alias: { set: [] } }, { alias: null }],
    ['accepts a list of one status', { status: ['RESOLVED'] }, { status: 'RESOLVED' }],
    ['accepts a list of one comment', { comment: ['x'] }, { comment: { body: 'x' } }],
    ['accepts an empty list to clear the alias', { alias: [] }, { alias: null }],
    [
      'accepts a number for a text',
      { summary: 5, whiteboard: 6 },
      { summary: '5', whiteboard: '6' },
    ],
    ['accepts a boolean as a string', { is_cc_accessible: 'false' }, { is_cc_accessible: false }],
    ['accepts a scalar for a list of an edit', { cc: { add: 'a@x' } }, { cc: { add: ['a@x'] } }],
    ['accepts an empty list to set', { cc: { set: [] } }, { cc: { set: [] } }],
    [
      'accepts a number for an ID and a date',
      { dupe_of: 7, deadline: 2026 },
      { dupe_of: '7', deadline: '2026' },
    ],
    [
      'accepts many forms of a boolean in comment_is_private',
      { comment_is_private: { 7: '1', 8: 0, 9: null } },
      { comment_is_private: { 7: true, 8: false, 9: undefined } },
    ],
    [
      'accepts a single comment tag as a list',
      { comment_tags: 'later' },
      { comment_tags: ['later'] },
    ],
    ['accepts a single flag as a list', { flags: { name: 'a' } }, { flags: [{ name: 'a' }] }],
    ['takes null flags for no flags', { flags: null }, { flags: undefined }],
    [
      'takes a null comment_is_private for none',
      { comment_is_private: null },
      { comment_is_private: undefined },
    ],
    [
      'takes a null set for no set',
      { cc: { set: null, add: ['a@x'] } },
      { cc: { set: undefined } },
    ],
  ])('%s', (_, body, expected) => {
    expect(read(body)).toMatchObject(expected)
  })

  test.each([{ cc: [] }, { cc: '' }, { cc: null }, { cc: {} }, { cc: { add: [], remove: [] } }])(
    'takes %j for no edit',
    (body) => {
      expect(read(body).cc).toBeUndefined()
    },
  )

  test.each([
    { cc: 'a@x' },
    { cc: ['a@x'] },
    { cc: { add: { login: 'a@x' } } },
    { summary: ['x', 'y'] },
    { alias: ['a', 'b'] },
    { comment: ['x', 'y'] },
    { comment: { body: { text: 'x' } } },
    { is_cc_accessible: {} },
    { comment_is_private: [7] },
    { comment_is_private: 'yes' },
    { comment_is_private: { 7: {} } },
    { groups: ['a'] },
    { dupe_of: [7, 8] },
    { ids: [{ id: 1 }] },
    { flags: 'review' },
    { flags: [{ id: 'x' }] },
    { comment_tags: [{ name: 'later' }] },
  ])('rejects %j', (body) => {
    expect(isReadable(body)).toBe(false)
  })
})

describe('the comment of PUT /bug', () => {
  test.each<[unknown, string]>([
    ['Done.', 'Done.'],
    [5, '5'],
    [{ body: 'Done.' }, 'Done.'],
    [{ comment: 'Done.' }, 'Done.'],
    [{ body: 'Done.', comment: 'Not this.' }, 'Done.'],
    [{ body: null, comment: 'Done.' }, 'Done.'],
    [{ is_private: true }, ''],
    [null, ''],
    [undefined, ''],
  ])('has, as %j, the text %j', (comment, expected) => {
    expect(commentText(read({ comment }).comment ?? undefined)).toBe(expected)
  })
})

describe('the unknown keys of PUT /bug', () => {
  test.each(['id', 'creator', 'colour', 'update_token', 'is_open', 'cc_detail', 'classification'])(
    'include %s, which is ignored',
    (key) => {
      expect(isReadable({ [key]: ['x'] })).toBe(true)
    },
  )
})
