import { budget, type TripBudget } from './budget.ts'

/** Trip budgets of saved searches. */
export const SEARCH_BUDGETS: Record<string, TripBudget> = {
  'GET /bug by a saved search': budget(2, 'ann', '/bug?savedsearch=SAVED'),
  'GET /saved_search': budget(1, 'ann', '/saved_search'),
  'POST /saved_search': budget(2, 'ann', '/saved_search', () => ({
    name: 'new',
    query: 'status=__open__',
  })),
  'PUT /saved_search/:id': budget(2, 'ann', '/saved_search/{savedSearch}', () => ({
    name: 'renamed',
    query: 'id=1',
  })),
  'DELETE /saved_search/:id': budget(2, 'ann', '/saved_search/{savedSearch}'),
}
