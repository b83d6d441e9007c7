import { buildAttachmentBody } from '../../builders/attachments.ts'
import { ANYONE } from '../../client.ts'
import type { TripBudget } from './budget.ts'

/** Trip budgets of comments, attachments and visits, of many bugs at once too. */
export const DISCUSSION_BUDGETS: Record<string, TripBudget> = {
  'GET /bug/:id_or_alias/comment': { trips: 1, by: 'ann', path: '/bug/{bug}/comment' },
  'GET /bug/:id_or_alias/comment, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/bug/{bug}/comment?new_since=2020-01-01',
  },
  'GET /bug/:id_or_alias/comment with the HTML of texts that name bugs': {
    trips: 2,
    by: 'ann',
    path: '/bug/{bug}/comment?include_fields=html',
  },
  'GET /bug/comment/:comment_id': { trips: 1, by: 'ann', path: '/bug/comment/{comment}' },
  'GET /reminder': { trips: 1, by: 'ann', path: '/reminder' },
  'GET /reminder/:id': { trips: 1, by: 'ann', path: '/reminder/{reminder}' },
  'POST /reminder': {
    trips: 2,
    by: 'ann',
    path: '/reminder',
    body: ({ bug }) => ({ bug_id: bug, reminder_ts: '2099-12-24', note: 'x' }),
  },
  'DELETE /reminder/:id': { trips: 2, by: 'ann', path: '/reminder/{reminder}' },
  'GET /bug_user_last_visit': { trips: 1, by: 'ann', path: '/bug_user_last_visit' },
  'GET /bug_user_last_visit/:id': {
    trips: 1,
    by: 'ann',
    path: '/bug_user_last_visit/{bug}?ids=1&ids=x',
  },
  'POST /bug_user_last_visit': {
    trips: 2,
    by: 'ann',
    path: '/bug_user_last_visit',
    body: ({ bug }) => ({ ids: [bug] }),
  },
  'POST /bug_user_last_visit/:id': { trips: 2, by: 'ann', path: '/bug_user_last_visit/{bug}' },
  'GET /bug/:id_or_alias/attachment': { trips: 1, by: 'ann', path: '/bug/{bug}/attachment' },
  'GET /bug/attachment/:attachment_id': {
    trips: 1,
    by: 'ann',
    path: '/bug/attachment/{attachment}',
  },
  'POST /bug/:id_or_alias/attachment': {
    trips: 2,
    by: 'ann',
    path: '/bug/{bug}/attachment',
    body: () => buildAttachmentBody(),
  },
  'PUT /bug/attachment/:attachment_id': {
    trips: 2,
    by: 'editor',
    path: '/bug/attachment/{attachment}',
    body: () => ({ summary: 'changed', is_obsolete: true, comment: 'Better.' }),
  },
  'POST /bug/:id_or_alias/comment': {
    trips: 2,
    by: 'ann',
    path: '/bug/{bug}/comment',
    body: () => ({ comment: 'Yes.' }),
  },
  'PUT /bug/comment/:comment_id/tags': {
    trips: 2,
    by: 'editor',
    path: '/bug/comment/{comment}/tags',
    body: () => ({ add: ['later'], remove: ['sooner'] }),
  },
  'POST /bug/comment/render': {
    trips: 1,
    by: 'ann',
    path: '/bug/comment/render',
    body: ({ bug }) => ({ text: `bug ${bug}, attachment 1 and comment 1`, id: bug }),
  },
  'GET /bug/comment/tags/:query': { trips: 1, by: 'editor', path: '/bug/comment/tags/later' },
  'POST /bug/:id_or_alias/attachment on a hundred bugs, and their flags': {
    trips: 2,
    by: 'editor',
    path: '/bug/{bug}/attachment',
    body: ({ ann, crowd, flag }) => ({
      ...buildAttachmentBody(),
      ids: crowd.slice(2),
      comment: 'Here.',
      bug_flags: [{ name: flag, status: '?', requestee: ann.login, new: true }],
    }),
  },
  'POST /bug/:id_or_alias/comment on a hundred bugs, with hours and tags': {
    trips: 4,
    by: 'admin',
    path: '/bug/{bug}/comment',
    body: ({ crowd }) => ({
      ids: crowd.slice(1),
      comment: 'x',
      work_time: 1,
      comment_tags: ['later'],
    }),
  },
  'POST /bug_user_last_visit of a hundred bugs': {
    trips: 2,
    by: 'editor',
    path: '/bug_user_last_visit',
    body: ({ crowd }) => ({ ids: crowd.slice(1) }),
  },
  'GET /bug/:id_or_alias/comment of a hundred bugs': {
    trips: 1,
    by: 'editor',
    path: '/bug/{bug}/comment?ids={crowd}',
  },
  'GET /bug/:id_or_alias/attachment of a hundred bugs': {
    trips: 1,
    by: 'editor',
    path: '/bug/{bug}/attachment?ids={crowd}',
  },
  'GET /bug/attachment/:attachment_id, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/bug/attachment/{attachment}',
  },
  'POST /bug/comment/render, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/bug/comment/render',
    body: ({ bug }) => ({ text: `bug ${bug}`, id: bug }),
  },
  'POST /bug/comment/render of nothing': {
    trips: 0,
    by: ANYONE,
    path: '/bug/comment/render',
    body: () => ({ text: '*x*' }),
  },
  'GET /undelivered': { trips: 1, by: 'admin', path: '/undelivered?limit=10' },
  'POST /undelivered/:id/retry': {
    trips: 2,
    by: 'admin',
    path: '/undelivered/reminder-{failedReminder}/retry',
  },
}
