import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import { type BudgetWorld, budget, type TripBudget } from './budget.ts'

/** Trip budgets of products and their parts, flag types, flag activity, keywords and classifications. */
export const PRODUCT_BUDGETS: Record<string, TripBudget> = {
  'GET /product_selectable': budget(1, 'ann', '/product_selectable'),
  'GET /product_enterable': budget(1, 'ann', '/product_enterable'),
  'GET /product_accessible': budget(1, 'ann', '/product_accessible'),
  'GET /product': budget(1, 'ann', '/product?names={product}'),
  'GET /product, anonymous': budget(1, ANYONE, '/product?names={product}'),
  'GET /product/:id_or_name': budget(1, 'ann', '/product/{product}'),
  'GET /product/:id_or_name/figures': budget(1, 'ann', '/product/{product}/figures'),
  'GET /flag/requests': budget(1, 'ann', '/flag/requests?requestee={login}&limit=5'),
  'GET /flag/requests, anonymous': budget(1, ANYONE, '/flag/requests?product={product}'),
  'GET /classification': budget(1, 'ann', '/classification'),
  'GET /classification/:id_or_name': budget(1, 'ann', '/classification/1'),
  'POST /product': budget(2, 'architect', '/product', () => ({
    name: uniqueName('Made'),
    description: 'x',
    classification: 'Unclassified',
  })),
  'PUT /product/:id_or_name': budget(2, 'architect', '/product/{product}', () => ({
    description: 'changed',
    default_version: '1.0',
    is_open: true,
  })),
  'POST /product/:product/version': budget(
    2,
    'architect',
    '/product/{product}/version',
    buildNameBody,
  ),
  'PUT /product/:product/version/:id_or_name': budget(
    2,
    'architect',
    '/product/{product}/version/spare',
    () => ({ sort_key: 7 }),
  ),
  'DELETE /product/:product/version/:id_or_name': budget(
    2,
    'architect',
    '/product/{product}/version/spare',
  ),
  'POST /product/:product/milestone': budget(
    2,
    'architect',
    '/product/{product}/milestone',
    buildNameBody,
  ),
  'PUT /product/:product/milestone/:id_or_name': budget(
    2,
    'architect',
    '/product/{product}/milestone/spare',
    () => ({ sort_key: 7 }),
  ),
  'DELETE /product/:product/milestone/:id_or_name': budget(
    2,
    'architect',
    '/product/{product}/milestone/spare',
  ),
  'GET /product/:product/group_control': budget(1, 'architect', '/product/{product}/group_control'),
  'PUT /product/:product/group_control/:group': budget(
    2,
    'architect',
    '/product/{product}/group_control/{controlled}',
    () => ({ canconfirm: true }),
  ),
  'GET /flag_type/:id_or_name': budget(1, 'ann', '/flag_type/{product}'),
  'GET /flag_type/:id_or_name, anonymous': budget(1, ANYONE, '/flag_type/{product}'),
  'GET /flag_type/:id_or_name/:component{.+}': budget(1, 'ann', '/flag_type/{product}/{component}'),
  'GET /flag_types/:id_or_name': budget(1, 'ann', '/flag_types/{product}'),
  'GET /flag_types/:id_or_name/:component{.+}': budget(
    1,
    'ann',
    '/flag_types/{product}/{component}',
  ),
  'POST /flag_type': budget(2, 'architect', '/flag_type', ({ place }) => ({
    name: 'budgeted',
    description: 'x',
    inclusions: [place.name],
  })),
  'PUT /flag_type/:id_or_name': budget(3, 'architect', '/flag_type/budgeted', ({ place }) => ({
    description: 'y',
    exclusions: [{ [place.name]: place.component }],
  })),
  'GET /review/flag_activity': budget(1, 'ann', '/review/flag_activity?limit=5'),
  'GET /review/flag_activity, anonymous': budget(
    1,
    ANYONE,
    '/review/flag_activity?after=2020-01-01&limit=5',
  ),
  'GET /review/flag_activity/:flag_id': budget(1, 'ann', '/review/flag_activity/1'),
  'GET /review/flag_activity/requestee/:login': budget(
    1,
    'ann',
    '/review/flag_activity/requestee/{login}',
  ),
  'GET /review/flag_activity/setter/:login': budget(
    1,
    'ann',
    '/review/flag_activity/setter/{login}',
  ),
  'GET /review/flag_activity/type_id/:type_id': budget(1, 'ann', '/review/flag_activity/type_id/1'),
  'GET /review/flag_activity/type_name/:type_name{.+}': budget(
    1,
    'ann',
    '/review/flag_activity/type_name/budgeted',
  ),
  'GET /keyword': budget(1, 'ann', '/keyword'),
  'GET /keyword, anonymous': budget(1, ANYONE, '/keyword'),
  'POST /keyword': budget(2, 'architect', '/keyword', () => ({
    name: uniqueName('kw'),
    description: 'x',
  })),
  'PUT /keyword/:id_or_name': budget(2, 'architect', '/keyword/{keyword}', () => ({
    is_active: false,
  })),
  'DELETE /keyword/:id_or_name': budget(2, 'architect', '/keyword/{keyword}'),
  'POST /classification': budget(2, 'architect', '/classification', buildNameBody),
  'PUT /classification/:id_or_name': budget(
    2,
    'architect',
    '/classification/{classification}',
    () => ({ description: 'changed' }),
  ),
  'DELETE /classification/:id_or_name': budget(2, 'architect', '/classification/{classification}'),
  'GET /component/:product/:component{.+}': budget(1, 'ann', '/component/{product}/{component}'),
  'GET /component': budget(1, 'ann', '/component?product={product}&component={component}'),
  'PUT /component/:product/:component{.+}': budget(
    2,
    'architect',
    '/component/{product}/{component}',
    () => ({ description: 'by path' }),
  ),
  'PUT /component': budget(
    2,
    'architect',
    '/component?product={product}&component={component}',
    () => ({ description: 'by query' }),
  ),
  'PUT /component/:product{.+}': budget(2, 'architect', '/component/{componentId}', () => ({
    description: 'by ID',
  })),
  'POST /component/:product{.+}': budget(
    2,
    'architect',
    '/component/{product}',
    buildComponentBody,
  ),
  'POST /component': budget(2, 'architect', '/component?product={product}', buildComponentBody),
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
