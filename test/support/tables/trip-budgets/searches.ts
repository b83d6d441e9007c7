import type { TripBudget } from './budget.ts'

/** Trip budgets of saved searches. */
export const SEARCH_BUDGETS: Record<string, TripBudget> = {
  'GET /bug by a saved search': { trips: 2, by: 'ann', path: '/bug?savedsearch=SAVED' },
  'GET /saved_search': { trips: 1, by: 'ann', path: '/saved_search' },
  'POST /saved_search': {
    trips: 2,
    by: 'ann',
    path: '/saved_search',
    body: () => ({ name: 'new', query: 'status=__open__' }),
  },
  'PUT /saved_search/:id': {
    trips: 2,
    by: 'ann',
    path: '/saved_search/{savedSearch}',
    body: () => ({ name: 'renamed', query: 'id=1' }),
  },
  'DELETE /saved_search/:id': { trips: 2, by: 'ann', path: '/saved_search/{savedSearch}' },
}
