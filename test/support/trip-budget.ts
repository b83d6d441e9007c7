import { ANYONE, type Sender } from './client.ts'
import { newBug, type TestGroup, type TestPerson, type TestProduct, unique } from './world.ts'

export const PASSWORD = 'a good password'

/** What the requests below are about; made before they are sent. */
export type World = {
  ann: TestPerson
  editor: TestPerson
  hand: TestPerson
  architect: TestPerson
  spare: TestPerson
  token: string
  keyId: number
  group: TestGroup
  controlled: TestGroup
  place: TestProduct
  componentId: number
  keyword: string
  field: string
  classification: string
  bug: number
  comment: number
  original: number
  goal: TestProduct
  crowd: number[]
  custom: string
  word: string
  flag: string
  attachment: number
}

export type Line = [
  trips: number,
  by: Sender | 'ann' | 'editor' | 'hand' | 'architect',
  path: string,
  body?: (w: World) => object,
]

/**
 * Exchanges with D1 that an answer may cost, those for its credentials included, on an isolate that has seen
 * the caller before; whom it meets for the first time costs one more. A line for each kind of caller of
 * each operation; `{x}` in a path is taken from the world.
 */
export const budget: Record<string, Line> = {
  'GET /version': [0, ANYONE, '/version'],
  'GET /extensions': [1, 'ann', '/extensions'],
  'GET /timezone': [0, 'ann', '/timezone'],
  'GET /time': [0, ANYONE, '/time'],
  'GET /parameters': [1, 'ann', '/parameters'],
  'GET /parameters of settings': [1, 'ann', '/parameters?include_fields=defaultpriority'],
  'GET /parameters, anonymous': [0, ANYONE, '/parameters'],
  'GET /configuration': [1, 'ann', '/configuration'],
  'GET /configuration, anonymous': [1, ANYONE, '/configuration?product={product}'],
  'GET /last_audit_time': [1, ANYONE, '/last_audit_time?class=Product&class=Group'],
  'GET /openapi.json': [0, ANYONE, '/openapi.json'],
  'GET /login': [2, ANYONE, '/login?{credentials}'],
  'GET /logout': [1, ANYONE, '/logout?token={token}'],
  'GET /logout of nothing': [0, ANYONE, '/logout'],
  'GET /valid_login': [1, 'ann', '/valid_login?login=x'],
  'GET /whoami': [1, 'ann', '/whoami'],
  'GET /whoami by password': [2, ANYONE, '/whoami?{credentials}'],
  'GET /user': [1, 'ann', '/user?names={login}'],
  'GET /user by everything': [
    1,
    'ann',
    '/user?ids=1&ids=2&names={login}&match={login}&match=*&group_ids=1&permissive=1',
  ],
  'GET /user/:id_or_name': [1, 'ann', '/user/{login}'],
  'GET /user/:id_or_name, anonymous': [1, ANYONE, '/user/{login}'],
  'POST /user': [
    2,
    'editor',
    '/user',
    () => ({ email: `${unique('new')}@example.test`, password: PASSWORD, full_name: '[:x]' }),
  ],
  'PUT /user/:id_or_name': [
    2,
    'hand',
    '/user/{spare}',
    ({ group }) => ({
      email: `${unique('new')}@example.test`,
      password: PASSWORD,
      groups: { add: [group.id] },
      bless_groups: { set: [group.name] },
    }),
  ],
  'GET /api_key': [1, 'ann', '/api_key'],
  'GET /api_key of somebody': [1, 'editor', '/api_key?user={login}'],
  'POST /api_key': [2, 'ann', '/api_key', () => ({ description: 'x' })],
  'POST /api_key for somebody': [
    2,
    'editor',
    '/api_key',
    ({ ann }) => ({ description: 'x', user: ann.login }),
  ],
  'PUT /api_key/:id': [2, 'ann', '/api_key/{keyId}', () => ({ description: 'changed' })],
  'DELETE /api_key/:id': [2, 'ann', '/api_key/{keyId}'],
  'GET /field/bug': [1, 'ann', '/field/bug'],
  'GET /field/bug, anonymous': [1, ANYONE, '/field/bug?ids=1&ids=10&names=version'],
  'GET /field/bug/:id_or_name': [1, 'ann', '/field/bug/status'],
  'GET /field/bug/:field/values': [1, 'ann', '/field/bug/status/values'],
  'GET /field/bug/:field/:product_id/values': [1, 'ann', '/field/bug/version/{productId}/values'],
  'POST /field/bug': [
    2,
    'hand',
    '/field/bug',
    ({ place }) => ({
      name: unique('cf_x').toLowerCase(),
      type: 2,
      visibility_field: 'product',
      visibility_values: [place.name],
      value_field: 'priority',
      values: ['a', { name: 'b', visibility_values: ['P1', 'P2'] }],
    }),
  ],
  'PUT /field/bug/:id_or_name': [
    2,
    'hand',
    '/field/bug/{field}',
    () => ({
      value_field: 'severity',
      values: ['a', { name: 'new', visibility_values: ['S1', 'S2'] }],
    }),
  ],
  'POST /field/bug/:field/values': [2, 'hand', '/field/bug/{field}/values', newName],
  'PUT /field/bug/:field/values/:value{.+}': [
    2,
    'hand',
    '/field/bug/status/values/VERIFIED',
    () => ({ description: 'changed', can_change_to: ['UNCONFIRMED', 'CONFIRMED', 'RESOLVED'] }),
  ],
  'DELETE /field/bug/:field/values/:value{.+}': [2, 'hand', '/field/bug/{field}/values/spare'],
  'GET /group': [1, 'editor', '/group?membership=1'],
  'GET /group/:id_or_name': [1, 'editor', '/group/{group}?ids=1&names=editbugs&membership=1'],
  'POST /group': [
    2,
    'editor',
    '/group',
    () => ({ name: unique('group'), description: 'x', user_regexp: unique('pattern') }),
  ],
  'PUT /group/:id_or_name': [
    2,
    'editor',
    '/group/{group}',
    () => ({
      name: unique('group'),
      description: 'changed',
      user_regexp: unique('pattern'),
      is_active: 0,
    }),
  ],
  'GET /group/:group/grants': [1, 'editor', '/group/{group}/grants'],
  'PUT /group/:group/grants': [
    4,
    'hand',
    '/group/{group}/grants',
    () => ({
      members_from: { add: ['editbugs', 'admin'] },
      bless_from: { set: ['editusers'] },
      visible_to: { remove: [1] },
    }),
  ],
  'GET /product_selectable': [1, 'ann', '/product_selectable'],
  'GET /product_enterable': [1, 'ann', '/product_enterable'],
  'GET /product_accessible': [1, 'ann', '/product_accessible'],
  'GET /product': [1, 'ann', '/product?names={product}'],
  'GET /product, anonymous': [1, ANYONE, '/product?names={product}'],
  'GET /product/:id_or_name': [1, 'ann', '/product/{product}'],
  'GET /classification': [1, 'ann', '/classification'],
  'GET /classification/:id_or_name': [1, 'ann', '/classification/1'],
  'POST /product': [
    2,
    'architect',
    '/product',
    () => ({ name: unique('Made'), description: 'x', classification: 'Unclassified' }),
  ],
  'PUT /product/:id_or_name': [
    2,
    'architect',
    '/product/{product}',
    () => ({ description: 'changed', default_version: '1.0', is_open: true }),
  ],
  'POST /product/:product/version': [2, 'architect', '/product/{product}/version', newName],
  'PUT /product/:product/version/:id_or_name': [
    2,
    'architect',
    '/product/{product}/version/spare',
    () => ({ sort_key: 7 }),
  ],
  'DELETE /product/:product/version/:id_or_name': [
    2,
    'architect',
    '/product/{product}/version/spare',
  ],
  'POST /product/:product/milestone': [2, 'architect', '/product/{product}/milestone', newName],
  'PUT /product/:product/milestone/:id_or_name': [
    2,
    'architect',
    '/product/{product}/milestone/spare',
    () => ({ sort_key: 7 }),
  ],
  'DELETE /product/:product/milestone/:id_or_name': [
    2,
    'architect',
    '/product/{product}/milestone/spare',
  ],
  'GET /product/:product/group_control': [1, 'architect', '/product/{product}/group_control'],
  'PUT /product/:product/group_control/:group': [
    2,
    'architect',
    '/product/{product}/group_control/{controlled}',
    () => ({ canconfirm: true }),
  ],
  'GET /flag_type/:id_or_name': [1, 'ann', '/flag_type/{product}'],
  'GET /flag_type/:id_or_name, anonymous': [1, ANYONE, '/flag_type/{product}'],
  'GET /flag_type/:id_or_name/:component{.+}': [1, 'ann', '/flag_type/{product}/{component}'],
  'GET /flag_types/:id_or_name': [1, 'ann', '/flag_types/{product}'],
  'GET /flag_types/:id_or_name/:component{.+}': [1, 'ann', '/flag_types/{product}/{component}'],
  'POST /flag_type': [
    2,
    'architect',
    '/flag_type',
    ({ place }) => ({ name: 'budgeted', description: 'x', inclusions: [place.name] }),
  ],
  'PUT /flag_type/:id_or_name': [
    2,
    'architect',
    '/flag_type/budgeted',
    ({ place }) => ({ description: 'y', exclusions: [{ [place.name]: place.component }] }),
  ],
  'GET /review/flag_activity': [1, 'ann', '/review/flag_activity?limit=5'],
  'GET /review/flag_activity, anonymous': [
    1,
    ANYONE,
    '/review/flag_activity?after=2020-01-01&limit=5',
  ],
  'GET /review/flag_activity/:flag_id': [1, 'ann', '/review/flag_activity/1'],
  'GET /review/flag_activity/requestee/:login': [
    1,
    'ann',
    '/review/flag_activity/requestee/{login}',
  ],
  'GET /review/flag_activity/setter/:login': [1, 'ann', '/review/flag_activity/setter/{login}'],
  'GET /review/flag_activity/type_id/:type_id': [1, 'ann', '/review/flag_activity/type_id/1'],
  'GET /review/flag_activity/type_name/:type_name{.+}': [
    1,
    'ann',
    '/review/flag_activity/type_name/budgeted',
  ],
  'GET /keyword': [1, 'ann', '/keyword'],
  'GET /keyword, anonymous': [1, ANYONE, '/keyword'],
  'POST /keyword': [2, 'architect', '/keyword', () => ({ name: unique('kw'), description: 'x' })],
  'PUT /keyword/:id_or_name': [2, 'architect', '/keyword/{keyword}', () => ({ is_active: false })],
  'DELETE /keyword/:id_or_name': [2, 'architect', '/keyword/{keyword}'],
  'POST /classification': [2, 'architect', '/classification', newName],
  'PUT /classification/:id_or_name': [
    2,
    'architect',
    '/classification/{classification}',
    () => ({ description: 'changed' }),
  ],
  'DELETE /classification/:id_or_name': [2, 'architect', '/classification/{classification}'],
  'GET /component/:product/:component{.+}': [1, 'ann', '/component/{product}/{component}'],
  'GET /component': [1, 'ann', '/component?product={product}&component={component}'],
  'PUT /component/:product/:component{.+}': [
    2,
    'architect',
    '/component/{product}/{component}',
    () => ({ description: 'by path' }),
  ],
  'PUT /component': [
    2,
    'architect',
    '/component?product={product}&component={component}',
    () => ({ description: 'by query' }),
  ],
  'PUT /component/:product{.+}': [
    2,
    'architect',
    '/component/{componentId}',
    () => ({ description: 'by ID' }),
  ],
  'POST /component/:product{.+}': [2, 'architect', '/component/{product}', newComponent],
  'POST /component': [2, 'architect', '/component?product={product}', newComponent],
  'GET /bug': [1, 'ann', '/bug?product={product}'],
  'GET /bug, anonymous': [1, ANYONE, '/bug?product={product}'],
  'GET /bug/:id_or_alias': [1, 'ann', '/bug/{bug}'],
  'GET /bug/:id_or_alias, anonymous': [1, ANYONE, '/bug/{bug}'],
  'GET /bug/:id_or_alias of everything': [1, 'ann', '/bug/{bug}?include_fields=_all'],
  'POST /bug': [2, 'ann', '/bug', ({ place }) => newBug(place, { description: 'It is.' })],
  'POST /bug with flags and tags': [
    4,
    'editor',
    '/bug',
    ({ ann, flag, place }) =>
      newBug(place, {
        flags: [{ name: flag, status: '?', requestee: ann.login }],
        comment_tags: ['later'],
      }),
  ],
  'PUT /bug/:id_or_alias': [
    2,
    'editor',
    '/bug/{bug}',
    () => ({ status: 'RESOLVED', resolution: 'FIXED', comment: { body: 'Done.' } }),
  ],
  'PUT /bug/:id_or_alias to another product': [
    2,
    'editor',
    '/bug/{bug}',
    ({ goal, original }) => ({
      product: goal.name,
      component: goal.component,
      dupe_of: original,
      reset_assigned_to: true,
      groups: { set: [] },
    }),
  ],
  'PUT /bug/:id_or_alias of a hundred bugs with all their lists': [
    2,
    'editor',
    '/bug/{bug}',
    ({ ann, bug, crowd, custom, flag, word }) => ({
      ids: crowd.slice(2),
      cc: { add: [ann.login] },
      keywords: { set: [word] },
      depends_on: { add: crowd.slice(0, 1) },
      blocks: { set: crowd.slice(1, 2) },
      regressed_by: { add: crowd.slice(0, 1) },
      regressions: { add: crowd.slice(1, 2) },
      see_also: { add: ['https://a.test/', ...crowd.slice(0, 1)] },
      tags: { add: [`of ${bug}`] },
      flags: [
        { name: flag, status: '?', requestee: ann.login, new: true },
        { name: flag, status: '+', new: true },
      ],
      comment: { body: 'All of them.', is_markdown: true },
      comment_tags: ['later', 'all'],
      [custom]: 'some text',
    }),
  ],
  'GET /bug/:id_or_alias/history': [1, 'ann', '/bug/{bug}/history'],
  'GET /bug/:id_or_alias/comment': [1, 'ann', '/bug/{bug}/comment'],
  'GET /bug/:id_or_alias/comment, anonymous': [
    1,
    ANYONE,
    '/bug/{bug}/comment?new_since=2020-01-01',
  ],
  'GET /bug/comment/:comment_id': [1, 'ann', '/bug/comment/{comment}'],
  'GET /bug_user_last_visit': [1, 'ann', '/bug_user_last_visit'],
  'GET /bug_user_last_visit/:id': [1, 'ann', '/bug_user_last_visit/{bug}?ids=1&ids=x'],
  'POST /bug_user_last_visit': [2, 'ann', '/bug_user_last_visit', ({ bug }) => ({ ids: [bug] })],
  'POST /bug_user_last_visit/:id': [2, 'ann', '/bug_user_last_visit/{bug}'],
  'GET /bug/:id_or_alias/attachment': [1, 'ann', '/bug/{bug}/attachment'],
  'GET /bug/attachment/:attachment_id': [1, 'ann', '/bug/attachment/{attachment}'],
  'POST /bug/:id_or_alias/attachment': [2, 'ann', '/bug/{bug}/attachment', newAttachment],
  'PUT /bug/attachment/:attachment_id': [
    2,
    'editor',
    '/bug/attachment/{attachment}',
    () => ({ summary: 'changed', is_obsolete: true, comment: 'Better.' }),
  ],
  'POST /bug/:id_or_alias/comment': [2, 'ann', '/bug/{bug}/comment', () => ({ comment: 'Yes.' })],
  'PUT /bug/comment/:comment_id/tags': [
    2,
    'editor',
    '/bug/comment/{comment}/tags',
    () => ({ add: ['later'], remove: ['sooner'] }),
  ],
  'POST /bug/comment/render': [
    1,
    'ann',
    '/bug/comment/render',
    ({ bug }) => ({ text: `bug ${bug}, attachment 1 and comment 1`, id: bug }),
  ],
  'GET /bug/comment/tags/:query': [1, 'editor', '/bug/comment/tags/later'],
}

function newName() {
  return { name: unique('n').slice(0, 20) }
}

export function newAttachment() {
  return { data: 'aGk=', file_name: 'a.txt', summary: 'x', content_type: 'text/plain' }
}

function newComponent({ ann }: World) {
  return {
    name: unique('Component'),
    description: 'x',
    default_assignee: ann.login,
    team_name: 'x',
  }
}

export function credentials({ login }: TestPerson): string {
  return new URLSearchParams({ login, password: PASSWORD }).toString()
}
