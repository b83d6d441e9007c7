import { ANYONE } from './client.ts'
import { type Line, newAttachment } from './trip-budget.ts'

/** What comments, attachments and visits cost, of many bugs at once and to nobody in particular. */
export const discussionBudget: Record<string, Line> = {
  'POST /bug/:id_or_alias/attachment on a hundred bugs, and their flags': [
    2,
    'editor',
    '/bug/{bug}/attachment',
    ({ ann, crowd, flag }) => ({
      ...newAttachment(),
      ids: crowd.slice(2),
      comment: 'Here.',
      bug_flags: [{ name: flag, status: '?', requestee: ann.login, new: true }],
    }),
  ],
  'POST /bug/:id_or_alias/comment on a hundred bugs, with hours and tags': [
    4,
    'hand',
    '/bug/{bug}/comment',
    ({ crowd }) => ({ ids: crowd.slice(1), comment: 'x', work_time: 1, comment_tags: ['later'] }),
  ],
  'POST /bug_user_last_visit of a hundred bugs': [
    2,
    'editor',
    '/bug_user_last_visit',
    ({ crowd }) => ({ ids: crowd.slice(1) }),
  ],
  'GET /bug/:id_or_alias/comment of a hundred bugs': [
    1,
    'editor',
    '/bug/{bug}/comment?ids={crowd}',
  ],
  'GET /bug/:id_or_alias/attachment of a hundred bugs': [
    1,
    'editor',
    '/bug/{bug}/attachment?ids={crowd}',
  ],
  'GET /bug/attachment/:attachment_id, anonymous': [1, ANYONE, '/bug/attachment/{attachment}'],
  'POST /bug/comment/render, anonymous': [
    1,
    ANYONE,
    '/bug/comment/render',
    ({ bug }) => ({ text: `bug ${bug}`, id: bug }),
  ],
  'POST /bug/comment/render of nothing': [
    0,
    ANYONE,
    '/bug/comment/render',
    () => ({ text: '*x*' }),
  ],
}
