import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of webhooks. */
export const WEBHOOK_BUDGETS: Record<string, TripBudget> = {
  'GET /webhooks/list': budget(1, 'ann', '/webhooks/list'),
  'POST /webhooks': budget(2, 'ann', '/webhooks', ({ place }) => ({
    ...{ name: 'new', url: 'https://hooks.example.com/', event: 'create' },
    ...{ product: place.name, component: place.component },
  })),
  'GET /webhooks/:id': budget(1, 'ann', '/webhooks/{webhook}'),
  'PUT /webhooks/:id': budget(2, 'ann', '/webhooks/{webhook}', ({ place }) => ({
    name: 'renamed',
    product: place.name,
    rotate_secret: true,
  })),
  'PUT /webhooks/:id to another component': budget(
    3,
    'ann',
    '/webhooks/{webhook}',
    ({ place }) => ({ component: place.component }),
  ),
  'POST /webhooks/:id/test': budget(2, 'ann', '/webhooks/{webhook}/test'),
  'GET /webhooks/:id/deliveries': budget(
    1,
    'ann',
    '/webhooks/{webhook}/deliveries?limit=5&offset=1',
  ),
  'POST /webhooks/deliveries/:id/redeliver': budget(
    2,
    'ann',
    '/webhooks/deliveries/{delivery}/redeliver',
  ),
  'DELETE /webhooks/:id': budget(2, 'ann', '/webhooks/{webhook}'),
}
