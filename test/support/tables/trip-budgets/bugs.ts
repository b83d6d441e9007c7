import { buildBugBody } from '../../builders/bugs.ts'
import { ANYONE } from '../../client.ts'
import type { TripBudget } from './budget.ts'

/** Trip budgets of bugs and their history. */
export const BUG_BUDGETS: Record<string, TripBudget> = {
  'GET /bug': { trips: 1, by: 'ann', path: '/bug?product={product}' },
  'GET /bug, anonymous': { trips: 1, by: ANYONE, path: '/bug?product={product}' },
  'GET /bug/possible_duplicates': {
    trips: 1,
    by: ANYONE,
    path: '/bug/possible_duplicates?summary=something is wrong&product={product}',
  },
  'GET /bug/:id_or_alias': { trips: 1, by: 'ann', path: '/bug/{bug}' },
  'GET /bug/:id_or_alias, anonymous': { trips: 1, by: ANYONE, path: '/bug/{bug}' },
  'GET /bug/:id_or_alias of everything': {
    trips: 1,
    by: 'ann',
    path: '/bug/{bug}?include_fields=_all',
  },
  'POST /bug': {
    trips: 2,
    by: 'ann',
    path: '/bug',
    body: ({ place }) => buildBugBody(place, { description: 'It is.' }),
  },
  'POST /bug with flags and tags': {
    trips: 4,
    by: 'editor',
    path: '/bug',
    body: ({ ann, flag, place }) =>
      buildBugBody(place, {
        flags: [{ name: flag, status: '?', requestee: ann.login }],
        comment_tags: ['later'],
      }),
  },
  'PUT /bug/:id_or_alias': {
    trips: 2,
    by: 'editor',
    path: '/bug/{bug}',
    body: () => ({ status: 'RESOLVED', resolution: 'FIXED', comment: { body: 'Done.' } }),
  },
  'PUT /bug/:id_or_alias to another product': {
    trips: 2,
    by: 'editor',
    path: '/bug/{bug}',
    body: ({ goal, original }) => ({
      product: goal.name,
      component: goal.component,
      dupe_of: original,
      reset_assigned_to: true,
      groups: { set: [] },
    }),
  },
  'PUT /bug/:id_or_alias of a hundred bugs with all their lists': {
    trips: 2,
    by: 'editor',
    path: '/bug/{bug}',
    body: ({ ann, bug, crowd, custom, flag, word }) => ({
      ids: crowd.slice(2),
      cc: { add: [ann.login] },
      keywords: { set: [word] },
      depends_on: { add: crowd.slice(0, 1) },
      blocks: { set: crowd.slice(1, 2) },
      regressed_by: { add: crowd.slice(0, 1) },
      regressions: { add: crowd.slice(1, 2) },
      see_also: { add: ['https://a.test/', ...crowd.slice(0, 1)] },
      tags: { add: [`of ${bug}`] },
      flags: [
        { name: flag, status: '?', requestee: ann.login, new: true },
        { name: flag, status: '+', new: true },
      ],
      comment: { body: 'All of them.', is_markdown: true },
      comment_tags: ['later', 'all'],
      [custom]: 'some text',
    }),
  },
  'GET /bug/:id_or_alias/history': { trips: 1, by: 'ann', path: '/bug/{bug}/history' },
  'GET /bug/:id_or_alias/history, a page': {
    trips: 1,
    by: 'ann',
    path: '/bug/{bug}/history?newest=2',
  },
}
