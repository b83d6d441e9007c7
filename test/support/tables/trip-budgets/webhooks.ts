import type { TripBudget } from './budget.ts'

/** Trip budgets of webhooks. */
export const WEBHOOK_BUDGETS: Record<string, TripBudget> = {
  'GET /webhooks/list': { trips: 1, by: 'ann', path: '/webhooks/list' },
  'POST /webhooks': {
    trips: 2,
    by: 'ann',
    path: '/webhooks',
    body: ({ place }) => ({
      ...{ name: 'new', url: 'https://hooks.example.com/', event: 'create' },
      ...{ product: place.name, component: place.component },
    }),
  },
  'GET /webhooks/:id': { trips: 1, by: 'ann', path: '/webhooks/{webhook}' },
  'PUT /webhooks/:id': {
    trips: 2,
    by: 'ann',
    path: '/webhooks/{webhook}',
    body: ({ place }) => ({ name: 'renamed', product: place.name, rotate_secret: true }),
  },
  'PUT /webhooks/:id to another component': {
    trips: 3,
    by: 'ann',
    path: '/webhooks/{webhook}',
    body: ({ place }) => ({ component: place.component }),
  },
  'POST /webhooks/:id/test': { trips: 2, by: 'ann', path: '/webhooks/{webhook}/test' },
  'GET /webhooks/:id/deliveries': {
    trips: 1,
    by: 'ann',
    path: '/webhooks/{webhook}/deliveries?limit=5&offset=1',
  },
  'POST /webhooks/deliveries/:id/redeliver': {
    trips: 2,
    by: 'ann',
    path: '/webhooks/deliveries/{delivery}/redeliver',
  },
  'DELETE /webhooks/:id': { trips: 2, by: 'ann', path: '/webhooks/{webhook}' },
}
