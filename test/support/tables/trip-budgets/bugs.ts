import { buildBugBody } from '../../builders/bugs.ts'
import { ANYONE } from '../../client.ts'
import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of bugs and their history. */
export const BUG_BUDGETS: Record<string, TripBudget> = {
  'GET /bug': budget(1, 'ann', '/bug?product={product}'),
  'GET /bug, anonymous': budget(1, ANYONE, '/bug?product={product}'),
  'GET /bug/possible_duplicates': budget(
    1,
    ANYONE,
    '/bug/possible_duplicates?summary=something is wrong&product={product}',
  ),
  'GET /bug/:id_or_alias': budget(1, 'ann', '/bug/{bug}'),
  'GET /bug/:id_or_alias, anonymous': budget(1, ANYONE, '/bug/{bug}'),
  'GET /bug/:id_or_alias of everything': budget(1, 'ann', '/bug/{bug}?include_fields=_all'),
  'POST /bug': budget(2, 'ann', '/bug', ({ place }) =>
    buildBugBody(place, { description: 'It is.' }),
  ),
  'POST /bug with flags and tags': budget(4, 'editor', '/bug', ({ ann, flag, place }) =>
    buildBugBody(place, {
      flags: [{ name: flag, status: '?', requestee: ann.login }],
      comment_tags: ['later'],
    }),
  ),
  'PUT /bug/:id_or_alias': budget(2, 'editor', '/bug/{bug}', () => ({
    status: 'RESOLVED',
    resolution: 'FIXED',
    comment: { body: 'Done.' },
  })),
  'PUT /bug/:id_or_alias to another product': budget(
    2,
    'editor',
    '/bug/{bug}',
    ({ goal, original }) => ({
      product: goal.name,
      component: goal.component,
      dupe_of: original,
      reset_assigned_to: true,
      groups: { set: [] },
    }),
  ),
  'PUT /bug/:id_or_alias of a hundred bugs with all their lists': budget(
    2,
    'editor',
    '/bug/{bug}',
    ({ ann, bug, crowd, custom, flag, word }) => ({
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
  ),
  'GET /bug/:id_or_alias/history': budget(1, 'ann', '/bug/{bug}/history'),
  'GET /bug/:id_or_alias/history, a page': budget(1, 'ann', '/bug/{bug}/history?newest=2'),
}
