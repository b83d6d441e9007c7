import type { DiscussionSenders } from '../../worlds/discussion-world.ts'
import type { Refusal } from './refusal.ts'

const SAY = 'POST /bug/{bug}/comment'
const TAGS = 'PUT /bug/comment/{comment}/tags'
const NO_MARKDOWN = { USE_MARKDOWN: 'off' }
const NO_TAGS = { COMMENT_TAGGERS_GROUP: '' }

/** What the operations on comments, comment tags, visits and flag activity refuse. */
export const COMMENT_REFUSALS: Record<string, readonly Refusal<keyof DiscussionSenders>[]> = {
  'Get Comments': [
    { code: 100, by: 'author', request: 'GET /bug/NoSuch/comment' },
    { code: 101, by: 'author', request: 'GET /bug/{bug}/comment?ids=999999999' },
    { code: 102, by: 'anyone', request: 'GET /bug/{hidden}/comment' },
    { code: 110, by: 'author', request: 'GET /bug/comment/{aside}' },
    { code: 111, by: 'author', request: 'GET /bug/comment/NoSuch' },
    { code: 111, by: 'author', request: 'GET /bug/comment/999999999' },
    { code: 56, by: 'author', request: 'GET /bug/{bug}/comment?new_since=NoSuch' },
  ],
  'Create Comment': [
    { code: 54, by: 'timer', request: SAY, body: { comment: 'x', work_time: 100_000 } },
    { code: 55, by: 'timer', request: SAY, body: { comment: 'x', work_time: -100_000 } },
    { code: 52, by: 'timer', request: SAY, body: { comment: 'x', work_time: 'long' } },
    { code: 50, by: 'author', request: SAY, body: { comment: ' ' } },
    { code: 100, by: 'author', request: 'POST /bug/NoSuch/comment', body: { comment: 'x' } },
    { code: 101, by: 'author', request: SAY, body: { comment: 'x', ids: [999_999_999] } },
    { code: 102, by: 'stranger', request: SAY, body: { comment: 'x', ids: ['{hidden}'] } },
    { code: 109, by: 'author', request: 'POST /bug/{locked}/comment', body: { comment: 'x' } },
    { code: 113, by: 'author', request: SAY, body: { comment: 'x', is_private: true } },
    { code: 113, by: 'author', request: SAY, body: { comment: 'x', private: 1 } },
    { code: 114, by: 'author', request: SAY, body: { comment: '{long}' }, naming: '65535' },
    {
      code: 140,
      by: 'author',
      request: SAY,
      body: { comment: 'x', is_markdown: true },
      settings: NO_MARKDOWN,
    },
    { code: 127, by: 'editor', request: SAY, body: { comment: 'x', comment_tags: ['no'] } },
    { code: 410, by: 'anyone', request: SAY, body: { comment: 'x' } },
    { code: 50, by: 'author', request: SAY, body: {}, naming: 'comment' },
  ],
  'Search Comment Tags': [
    { code: 125, by: 'editor', request: 'GET /bug/comment/tags/x', settings: NO_TAGS },
    { code: 304, by: 'author', request: 'GET /bug/comment/tags/x' },
    { code: 410, by: 'anyone', request: 'GET /bug/comment/tags/x' },
    { code: 52, by: 'editor', request: 'GET /bug/comment/tags/x?limit=NoSuch' },
  ],
  'Update Comment Tags': [
    { code: 102, by: 'editor', request: 'PUT /bug/comment/{unseen}/tags', body: { add: ['fine'] } },
    { code: 110, by: 'editor', request: 'PUT /bug/comment/{aside}/tags', body: { add: ['fine'] } },
    {
      code: 111,
      by: 'editor',
      request: 'PUT /bug/comment/999999999/tags',
      body: { add: ['fine'] },
    },
    { code: 125, by: 'editor', request: TAGS, body: { add: ['fine'] }, settings: NO_TAGS },
    { code: 126, by: 'editor', request: TAGS, body: { add: ['fine', 'two words'] } },
    { code: 127, by: 'editor', request: TAGS, body: { add: ['fine'], remove: ['no'] } },
    { code: 128, by: 'editor', request: TAGS, body: { add: ['x'.repeat(25)] } },
    { code: 304, by: 'author', request: TAGS, body: { add: ['fine'] } },
    { code: 410, by: 'anyone', request: TAGS, body: { add: ['fine'] } },
  ],
  'Render Comment': [
    {
      code: 100,
      by: 'author',
      request: 'POST /bug/comment/render',
      body: { text: 'x', id: 'NoSuch' },
    },
    {
      code: 101,
      by: 'author',
      request: 'POST /bug/comment/render',
      body: { text: 'x', id: 999_999_999 },
    },
    {
      code: 102,
      by: 'anyone',
      request: 'POST /bug/comment/render',
      body: { text: 'x', id: '{hidden}' },
    },
    { code: 50, by: 'author', request: 'POST /bug/comment/render', body: {} },
    { code: 114, by: 'author', request: 'POST /bug/comment/render', body: { text: '{long}' } },
  ],
  'Update Last Visited': [
    { code: 1300, by: 'stranger', request: 'POST /bug_user_last_visit/{bug}' },
    {
      code: 1300,
      by: 'author',
      request: 'POST /bug_user_last_visit',
      body: { ids: ['{bug}', '{foreignBug}'] },
    },
    { code: 50, by: 'author', request: 'POST /bug_user_last_visit', body: {} },
    { code: 100, by: 'author', request: 'POST /bug_user_last_visit/NoSuch' },
    {
      code: 101,
      by: 'author',
      request: 'POST /bug_user_last_visit',
      body: { ids: ['{bug}', 999_999_999] },
    },
    { code: 102, by: 'stranger', request: 'POST /bug_user_last_visit/{hidden}' },
    { code: 410, by: 'anyone', request: 'POST /bug_user_last_visit/{bug}' },
    { code: 410, by: 'anyone', request: 'GET /bug_user_last_visit' },
  ],
  'Flag activity': [
    { code: 32_000, by: 'anyone', request: 'GET /review/flag_activity/NoSuch' },
    { code: 32_000, by: 'anyone', request: 'GET /review/flag_activity/type_id/NoSuch' },
    { code: 50, by: 'anyone', request: 'GET /review/flag_activity?offset=1' },
    { code: 52, by: 'anyone', request: 'GET /review/flag_activity?limit=NoSuch' },
    { code: 56, by: 'anyone', request: 'GET /review/flag_activity?after=NoSuch' },
    { code: 504, by: 'anyone', request: 'GET /review/flag_activity/setter/NoSuch' },
    { code: 504, by: 'anyone', request: 'GET /review/flag_activity/requestee/NoSuch' },
  ],
}
