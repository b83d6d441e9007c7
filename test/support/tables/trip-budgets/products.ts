import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import type { BudgetWorld, TripBudget } from './budget.ts'

/** Trip budgets of products and their parts, flag types, flag activity, keywords and classifications. */
export const PRODUCT_BUDGETS: Record<string, TripBudget> = {
  'GET /product_selectable': { trips: 1, by: 'ann', path: '/product_selectable' },
  'GET /product_enterable': { trips: 1, by: 'ann', path: '/product_enterable' },
  'GET /product_accessible': { trips: 1, by: 'ann', path: '/product_accessible' },
  'GET /product': { trips: 1, by: 'ann', path: '/product?names={product}' },
  'GET /product, anonymous': { trips: 1, by: ANYONE, path: '/product?names={product}' },
  'GET /product/:id_or_name': { trips: 1, by: 'ann', path: '/product/{product}' },
  'GET /product/:id_or_name/figures': {
    trips: 1,
    by: 'ann',
    path: '/product/{product}/figures',
  },
  'GET /flag/requests': { trips: 1, by: 'ann', path: '/flag/requests?requestee={login}&limit=5' },
  'GET /flag/requests, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/flag/requests?product={product}',
  },
  'GET /classification': { trips: 1, by: 'ann', path: '/classification' },
  'GET /classification/:id_or_name': { trips: 1, by: 'ann', path: '/classification/1' },
  'POST /product': {
    trips: 2,
    by: 'architect',
    path: '/product',
    body: () => ({ name: uniqueName('Made'), description: 'x', classification: 'Unclassified' }),
  },
  'PUT /product/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}',
    body: () => ({ description: 'changed', default_version: '1.0', is_open: true }),
  },
  'POST /product/:product/version': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/version',
    body: buildNameBody,
  },
  'PUT /product/:product/version/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/version/spare',
    body: () => ({ sort_key: 7 }),
  },
  'DELETE /product/:product/version/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/version/spare',
  },
  'POST /product/:product/milestone': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/milestone',
    body: buildNameBody,
  },
  'PUT /product/:product/milestone/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/milestone/spare',
    body: () => ({ sort_key: 7 }),
  },
  'DELETE /product/:product/milestone/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/milestone/spare',
  },
  'GET /product/:product/group_control': {
    trips: 1,
    by: 'architect',
    path: '/product/{product}/group_control',
  },
  'PUT /product/:product/group_control/:group': {
    trips: 2,
    by: 'architect',
    path: '/product/{product}/group_control/{controlled}',
    body: () => ({ canconfirm: true }),
  },
  'GET /flag_type/:id_or_name': { trips: 1, by: 'ann', path: '/flag_type/{product}' },
  'GET /flag_type/:id_or_name, anonymous': { trips: 1, by: ANYONE, path: '/flag_type/{product}' },
  'GET /flag_type/:id_or_name/:component{.+}': {
    trips: 1,
    by: 'ann',
    path: '/flag_type/{product}/{component}',
  },
  'GET /flag_types/:id_or_name': { trips: 1, by: 'ann', path: '/flag_types/{product}' },
  'GET /flag_types/:id_or_name/:component{.+}': {
    trips: 1,
    by: 'ann',
    path: '/flag_types/{product}/{component}',
  },
  'POST /flag_type': {
    trips: 2,
    by: 'architect',
    path: '/flag_type',
    body: ({ place }) => ({ name: 'budgeted', description: 'x', inclusions: [place.name] }),
  },
  'PUT /flag_type/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/flag_type/budgeted',
    body: ({ place }) => ({ description: 'y', exclusions: [{ [place.name]: place.component }] }),
  },
  'GET /review/flag_activity': { trips: 1, by: 'ann', path: '/review/flag_activity?limit=5' },
  'GET /review/flag_activity, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/review/flag_activity?after=2020-01-01&limit=5',
  },
  'GET /review/flag_activity/:flag_id': { trips: 1, by: 'ann', path: '/review/flag_activity/1' },
  'GET /review/flag_activity/requestee/:login': {
    trips: 1,
    by: 'ann',
    path: '/review/flag_activity/requestee/{login}',
  },
  'GET /review/flag_activity/setter/:login': {
    trips: 1,
    by: 'ann',
    path: '/review/flag_activity/setter/{login}',
  },
  'GET /review/flag_activity/type_id/:type_id': {
    trips: 1,
    by: 'ann',
    path: '/review/flag_activity/type_id/1',
  },
  'GET /review/flag_activity/type_name/:type_name{.+}': {
    trips: 1,
    by: 'ann',
    path: '/review/flag_activity/type_name/budgeted',
  },
  'GET /keyword': { trips: 1, by: 'ann', path: '/keyword' },
  'GET /keyword, anonymous': { trips: 1, by: ANYONE, path: '/keyword' },
  'POST /keyword': {
    trips: 2,
    by: 'architect',
    path: '/keyword',
    body: () => ({ name: uniqueName('kw'), description: 'x' }),
  },
  'PUT /keyword/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/keyword/{keyword}',
    body: () => ({ is_active: false }),
  },
  'DELETE /keyword/:id_or_name': { trips: 2, by: 'architect', path: '/keyword/{keyword}' },
  'POST /classification': {
    trips: 2,
    by: 'architect',
    path: '/classification',
    body: buildNameBody,
  },
  'PUT /classification/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/classification/{classification}',
    body: () => ({ description: 'changed' }),
  },
  'DELETE /classification/:id_or_name': {
    trips: 2,
    by: 'architect',
    path: '/classification/{classification}',
  },
  'GET /component/:product/:component{.+}': {
    trips: 1,
    by: 'ann',
    path: '/component/{product}/{component}',
  },
  'GET /component': {
    trips: 1,
    by: 'ann',
    path: '/component?product={product}&component={component}',
  },
  'PUT /component/:product/:component{.+}': {
    trips: 2,
    by: 'architect',
    path: '/component/{product}/{component}',
    body: () => ({ description: 'by path' }),
  },
  'PUT /component': {
    trips: 2,
    by: 'architect',
    path: '/component?product={product}&component={component}',
    body: () => ({ description: 'by query' }),
  },
  'PUT /component/:product{.+}': {
    trips: 2,
    by: 'architect',
    path: '/component/{componentId}',
    body: () => ({ description: 'by ID' }),
  },
  'POST /component/:product{.+}': {
    trips: 2,
    by: 'architect',
    path: '/component/{product}',
    body: buildComponentBody,
  },
  'POST /component': {
    trips: 2,
    by: 'architect',
    path: '/component?product={product}',
    body: buildComponentBody,
  },
}

function buildNameBody() {
  return { name: uniqueName('n').slice(0, 20) }
}

function buildComponentBody({ ann }: BudgetWorld) {
  return {
    name: uniqueName('Component'),
    description: 'x',
    default_assignee: ann.login,
    team_name: 'x',
  }
}
