import { buildAttachmentBody } from '../../builders/attachments.ts'
import { ANYONE } from '../../client.ts'
import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of comments, attachments and visits, of many bugs at once too. */
export const DISCUSSION_BUDGETS: Record<string, TripBudget> = {
  'GET /bug/:id_or_alias/comment': budget(1, 'ann', '/bug/{bug}/comment'),
  'GET /bug/:id_or_alias/comment, anonymous': budget(
    1,
    ANYONE,
    '/bug/{bug}/comment?new_since=2020-01-01',
  ),
  'GET /bug/:id_or_alias/comment with the HTML of texts that name bugs': budget(
    2,
    'ann',
    '/bug/{bug}/comment?include_fields=html',
  ),
  'GET /bug/comment/:comment_id': budget(1, 'ann', '/bug/comment/{comment}'),
  'GET /reminder': budget(1, 'ann', '/reminder'),
  'GET /reminder/:id': budget(1, 'ann', '/reminder/{reminder}'),
  'POST /reminder': budget(2, 'ann', '/reminder', ({ bug }) => ({
    bug_id: bug,
    reminder_ts: '2099-12-24',
    note: 'x',
  })),
  'DELETE /reminder/:id': budget(2, 'ann', '/reminder/{reminder}'),
  'GET /bug_user_last_visit': budget(1, 'ann', '/bug_user_last_visit'),
  'GET /bug_user_last_visit/:id': budget(1, 'ann', '/bug_user_last_visit/{bug}?ids=1&ids=x'),
  'POST /bug_user_last_visit': budget(2, 'ann', '/bug_user_last_visit', ({ bug }) => ({
    ids: [bug],
  })),
  'POST /bug_user_last_visit/:id': budget(2, 'ann', '/bug_user_last_visit/{bug}'),
  'GET /bug/:id_or_alias/attachment': budget(1, 'ann', '/bug/{bug}/attachment'),
  'GET /bug/attachment/:attachment_id': budget(1, 'ann', '/bug/attachment/{attachment}'),
  'POST /bug/:id_or_alias/attachment': budget(2, 'ann', '/bug/{bug}/attachment', () =>
    buildAttachmentBody(),
  ),
  'PUT /bug/attachment/:attachment_id': budget(2, 'editor', '/bug/attachment/{attachment}', () => ({
    summary: 'changed',
    is_obsolete: true,
    comment: 'Better.',
  })),
  'POST /bug/:id_or_alias/comment': budget(2, 'ann', '/bug/{bug}/comment', () => ({
    comment: 'Yes.',
  })),
  'PUT /bug/comment/:comment_id/tags': budget(2, 'editor', '/bug/comment/{comment}/tags', () => ({
    add: ['later'],
    remove: ['sooner'],
  })),
  'POST /bug/comment/render': budget(1, 'ann', '/bug/comment/render', ({ bug }) => ({
    text: `bug ${bug}, attachment 1 and comment 1`,
    id: bug,
  })),
  'GET /bug/comment/tags/:query': budget(1, 'editor', '/bug/comment/tags/later'),
  'POST /bug/:id_or_alias/attachment on a hundred bugs, and their flags': budget(
    2,
    'editor',
    '/bug/{bug}/attachment',
    ({ ann, crowd, flag }) => ({
      ...buildAttachmentBody(),
      ids: crowd.slice(2),
      comment: 'Here.',
      bug_flags: [{ name: flag, status: '?', requestee: ann.login, new: true }],
    }),
  ),
  'POST /bug/:id_or_alias/comment on a hundred bugs, with hours and tags': budget(
    4,
    'admin',
    '/bug/{bug}/comment',
    ({ crowd }) => ({
      ids: crowd.slice(1),
      comment: 'x',
      work_time: 1,
      comment_tags: ['later'],
    }),
  ),
  'POST /bug_user_last_visit of a hundred bugs': budget(
    2,
    'editor',
    '/bug_user_last_visit',
    ({ crowd }) => ({ ids: crowd.slice(1) }),
  ),
  'GET /bug/:id_or_alias/comment of a hundred bugs': budget(
    1,
    'editor',
    '/bug/{bug}/comment?ids={crowd}',
  ),
  'GET /bug/:id_or_alias/attachment of a hundred bugs': budget(
    1,
    'editor',
    '/bug/{bug}/attachment?ids={crowd}',
  ),
  'GET /bug/attachment/:attachment_id, anonymous': budget(
    1,
    ANYONE,
    '/bug/attachment/{attachment}',
  ),
  'POST /bug/comment/render, anonymous': budget(1, ANYONE, '/bug/comment/render', ({ bug }) => ({
    text: `bug ${bug}`,
    id: bug,
  })),
  'POST /bug/comment/render of nothing': budget(0, ANYONE, '/bug/comment/render', () => ({
    text: '*x*',
  })),
  'GET /undelivered': budget(1, 'admin', '/undelivered?limit=10'),
  'POST /undelivered/:id/retry': budget(2, 'admin', '/undelivered/reminder-{failedReminder}/retry'),
}
