import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of fields and their values. */
export const FIELD_BUDGETS: Record<string, TripBudget> = {
  'GET /field/bug': budget(1, 'ann', '/field/bug'),
  'GET /field/bug, anonymous': budget(1, ANYONE, '/field/bug?ids=1&ids=10&names=version'),
  'GET /field/bug/:id_or_name': budget(1, 'ann', '/field/bug/status'),
  'GET /field/bug/:field/values': budget(1, 'ann', '/field/bug/status/values'),
  'GET /field/bug/:field/:product_id/values': budget(
    1,
    'ann',
    '/field/bug/version/{productId}/values',
  ),
  'POST /field/bug': budget(2, 'admin', '/field/bug', ({ place }) => ({
    name: uniqueName('cf_x').toLowerCase(),
    type: 2,
    visibility_field: 'product',
    visibility_values: [place.name],
    value_field: 'priority',
    values: ['a', { name: 'b', visibility_values: ['P1', 'P2'] }],
  })),
  'PUT /field/bug/:id_or_name': budget(2, 'admin', '/field/bug/{field}', () => ({
    value_field: 'severity',
    values: ['a', { name: 'new', visibility_values: ['S1', 'S2'] }],
  })),
  'POST /field/bug/:field/values': budget(2, 'admin', '/field/bug/{field}/values', buildNameBody),
  'PUT /workflow': budget(2, 'admin', '/workflow', () => ({ preset: 'classic' })),
  'PUT /field/bug/:field/values/:value{.+}': budget(
    2,
    'admin',
    '/field/bug/status/values/VERIFIED',
    () => ({
      description: 'changed',
      can_change_to: ['UNCONFIRMED', 'CONFIRMED', 'RESOLVED'],
    }),
  ),
  'DELETE /field/bug/:field/values/:value{.+}': budget(
    2,
    'admin',
    '/field/bug/{field}/values/spare',
  ),
}

function buildNameBody() {
  return { name: uniqueName('n').slice(0, 20) }
}
