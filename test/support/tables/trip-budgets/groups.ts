import { uniqueName } from '../../builders/unique.ts'
import type { TripBudget } from './budget.ts'

/** Trip budgets of groups and their grants. */
export const GROUP_BUDGETS: Record<string, TripBudget> = {
  'GET /group': { trips: 1, by: 'editor', path: '/group?membership=1' },
  'GET /group/:id_or_name': {
    trips: 1,
    by: 'editor',
    path: '/group/{group}?ids=1&names=editbugs&membership=1',
  },
  'POST /group': {
    trips: 2,
    by: 'editor',
    path: '/group',
    body: () => ({
      name: uniqueName('group'),
      description: 'x',
      user_regexp: uniqueName('pattern'),
    }),
  },
  'PUT /group/:id_or_name': {
    trips: 2,
    by: 'editor',
    path: '/group/{group}',
    body: () => ({
      name: uniqueName('group'),
      description: 'changed',
      user_regexp: uniqueName('pattern'),
      is_active: 0,
    }),
  },
  'GET /group/:group/grants': { trips: 1, by: 'editor', path: '/group/{group}/grants' },
  'PUT /group/:group/grants': {
    trips: 4,
    by: 'admin',
    path: '/group/{group}/grants',
    body: () => ({
      members_from: { add: ['editbugs', 'admin'] },
      bless_from: { set: ['editusers'] },
      visible_to: { remove: [1] },
    }),
  },
}
