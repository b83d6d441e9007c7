import { describe, expect, test } from 'vitest'
import { commentText } from '../../../src/bugs/change/comment.ts'
import { changeBugInput } from '../../../src/bugs/change/input.ts'

type Body = Record<string, unknown>

function read(body: Body) {
  return changeBugInput.parse({ id_or_alias: '1', ...body })
}

function isReadable(body: Body): boolean {
  return changeBugInput.safeParse({ id_or_alias: '1', ...body }).success
}

describe('the body of a change', () => {
  test.each<[string, Body, Body]>([
    ['IDs come as numbers, as texts and alone', { ids: [1, '2'] }, { ids: ['1', '2'] }],
    ['a lone ID is a list', { ids: 7 }, { ids: ['7'] }],
    ['null clears', { alias: null, qa_contact: null }, { alias: null, qa_contact: null }],
    ['an alias may be a list of one', { alias: ['a'] }, { alias: 'a' }],
    ['an empty list clears the alias', { alias: [] }, { alias: null }],
    ['a number is a text', { summary: 5, whiteboard: 6 }, { summary: '5', whiteboard: '6' }],
    ['truth has many spellings', { is_cc_accessible: 'false' }, { is_cc_accessible: false }],
    ['lists of an edit may be scalars', { cc: { add: 'a@x' } }, { cc: { add: ['a@x'] } }],
    ['an empty list may be set', { cc: { set: [] } }, { cc: { set: [] } }],
    ['a number may be an ID', { dupe_of: 7, deadline: 2026 }, { dupe_of: '7', deadline: '2026' }],
    [
      'comments are private or not, in many spellings',
      { comment_is_private: { 7: '1', 8: 0, 9: null } },
      { comment_is_private: { 7: true, 8: false, 9: undefined } },
    ],
    ['one tag is a list', { comment_tags: 'later' }, { comment_tags: ['later'] }],
    ['one flag is a list', { flags: { name: 'a' } }, { flags: [{ name: 'a' }] }],
    ['no flags are none', { flags: null }, { flags: undefined }],
    ['nothing is no comment', { comment_is_private: null }, { comment_is_private: undefined }],
    ['nothing may not', { cc: { set: null, add: ['a@x'] } }, { cc: { set: undefined } }],
  ])('%s', (_, body, expected) => {
    expect(read(body)).toMatchObject(expected)
  })

  test.each([{ cc: [] }, { cc: '' }, { cc: null }, { cc: {} }, { cc: { add: [], remove: [] } }])(
    '%j asks for no edit',
    (body) => {
      expect(read(body).cc).toBeUndefined()
    },
  )

  test.each([
    { cc: 'a@x' },
    { cc: ['a@x'] },
    { cc: { add: { login: 'a@x' } } },
    { summary: ['x'] },
    { alias: ['a', 'b'] },
    { comment: ['x'] },
    { comment: { body: { text: 'x' } } },
    { is_cc_accessible: {} },
    { comment_is_private: [7] },
    { comment_is_private: 'yes' },
    { comment_is_private: { 7: {} } },
    { groups: ['a'] },
    { dupe_of: [7] },
    { ids: [{ id: 1 }] },
    { flags: 'review' },
    { flags: [{ id: 'x' }] },
    { comment_tags: [{ name: 'later' }] },
  ])('%j has a wrong form', (body) => {
    expect(isReadable(body)).toBe(false)
  })
})

describe('the comment of a change', () => {
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
  ])('%j says %j', (comment, expected) => {
    expect(commentText(read({ comment }).comment ?? undefined)).toBe(expected)
  })
})

describe('the keys of a change', () => {
  test.each(['id', 'creator', 'colour', 'update_token', 'is_open', 'cc_detail', 'classification'])(
    '%s is ignored',
    (key) => {
      expect(isReadable({ [key]: ['x'] })).toBe(true)
    },
  )
})
