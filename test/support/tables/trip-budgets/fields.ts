import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import type { TripBudget } from './budget.ts'

/** Trip budgets of fields and their values. */
export const FIELD_BUDGETS: Record<string, TripBudget> = {
  'GET /field/bug': { trips: 1, by: 'ann', path: '/field/bug' },
  'GET /field/bug, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/field/bug?ids=1&ids=10&names=version',
  },
  'GET /field/bug/:id_or_name': { trips: 1, by: 'ann', path: '/field/bug/status' },
  'GET /field/bug/:field/values': { trips: 1, by: 'ann', path: '/field/bug/status/values' },
  'GET /field/bug/:field/:product_id/values': {
    trips: 1,
    by: 'ann',
    path: '/field/bug/version/{productId}/values',
  },
  'POST /field/bug': {
    trips: 2,
    by: 'admin',
    path: '/field/bug',
    body: ({ place }) => ({
      name: uniqueName('cf_x').toLowerCase(),
      type: 2,
      visibility_field: 'product',
      visibility_values: [place.name],
      value_field: 'priority',
      values: ['a', { name: 'b', visibility_values: ['P1', 'P2'] }],
    }),
  },
  'PUT /field/bug/:id_or_name': {
    trips: 2,
    by: 'admin',
    path: '/field/bug/{field}',
    body: () => ({
      value_field: 'severity',
      values: ['a', { name: 'new', visibility_values: ['S1', 'S2'] }],
    }),
  },
  'POST /field/bug/:field/values': {
    trips: 2,
    by: 'admin',
    path: '/field/bug/{field}/values',
    body: buildNameBody,
  },
  'PUT /workflow': {
    trips: 2,
    by: 'admin',
    path: '/workflow',
    body: () => ({ preset: 'classic' }),
  },
  'PUT /field/bug/:field/values/:value{.+}': {
    trips: 2,
    by: 'admin',
    path: '/field/bug/status/values/VERIFIED',
    body: () => ({
      description: 'changed',
      can_change_to: ['UNCONFIRMED', 'CONFIRMED', 'RESOLVED'],
    }),
  },
  'DELETE /field/bug/:field/values/:value{.+}': {
    trips: 2,
    by: 'admin',
    path: '/field/bug/{field}/values/spare',
  },
}

function buildNameBody() {
  return { name: uniqueName('n').slice(0, 20) }
}
