import { uniqueName } from '../../builders/unique.ts'
import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of groups and their grants. */
export const GROUP_BUDGETS: Record<string, TripBudget> = {
  'GET /group': budget(1, 'editor', '/group?membership=1'),
  'GET /group/:id_or_name': budget(1, 'editor', '/group/{group}?ids=1&names=editbugs&membership=1'),
  'POST /group': budget(2, 'editor', '/group', () => ({
    name: uniqueName('group'),
    description: 'x',
    user_regexp: uniqueName('pattern'),
  })),
  'PUT /group/:id_or_name': budget(2, 'editor', '/group/{group}', () => ({
    name: uniqueName('group'),
    description: 'changed',
    user_regexp: uniqueName('pattern'),
    is_active: 0,
  })),
  'PUT /group/:id_or_name of several': budget(2, 'editor', '/group/{group}', ({ controlled }) => ({
    names: [controlled.name],
    user_regexp: uniqueName('pattern'),
  })),
  'GET /group/:group/grants': budget(1, 'editor', '/group/{group}/grants'),
  'PUT /group/:group/grants': budget(4, 'admin', '/group/{group}/grants', () => ({
    members_from: { add: ['editbugs', 'admin'] },
    bless_from: { set: ['editusers'] },
    visible_to: { remove: [1] },
  })),
}
