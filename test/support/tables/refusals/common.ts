import type { StructureSenders } from '../../worlds/structure-world.ts'
import type { Refusal } from './refusal.ts'

/** More entries than any list may have. */
const MANY = Array.from({ length: 1001 }, (_, i) => `x${i}`)
const component = { description: 'd', default_assignee: '{login}', team_name: 't' }

const product = { name: 'n', description: 'd', classification: 'Unclassified' }

/** Requests that give rights, or send things to others, each with a misspelled parameter as its last one. */
const MISSPELLED: readonly (readonly [request: string, body: Readonly<Record<string, unknown>>])[] =
  [
    ['PUT /product/{product}/group_control/{group}', { canedit: true, entri: true }],
    ['PUT /user/{login}', { full_name: 'New', group: { remove: ['{group}'] } }],
    ['PUT /user/{login}', { full_name: 'New', login_denied: 'gone' }],
    ['POST /user', { email: 'new@example.test', login_denied_text: 'not yet' }],
    ['POST /group', { name: 'n', description: 'd', userregexp: '@example' }],
    ['PUT /group/{group}', { description: 'New', user_regex: '' }],
    ['PUT /group/{group}/grants', { members_from: { add: ['admin'] }, bless_form: { set: [] } }],
    ['POST /product', { ...product, group_controls: [{ group: '{group}', entry: true }] }],
    ['POST /component/{product}', { ...component, name: 'n', groups: ['{group}'] }],
    ['POST /flag_type', { name: 'n', description: 'd', grant_grup: '{group}' }],
    ['PUT /flag_type/{flag}', { description: 'New', request_grup: '{group}' }],
    ['POST /webhooks', { name: 'n', url: 'https://a.example/', event: 'create', products: ['x'] }],
    ['PUT /webhooks/{webhook}', { name: 'n', events: 'create' }],
    ['POST /saved_search', { name: 'n', query: 'id=1', share_with: '{group}' }],
    ['PUT /saved_search/{search}', { name: 'n', shared_wiht: '' }],
  ]

/** What all operations on structure refuse alike. */
export const COMMON_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Misspelled parameters where rights are given': [
    ...MISSPELLED.map(([request, body]) => ({
      ...{ code: 53, by: 'admin' as const, request, body },
      naming: `'${Object.keys(body).at(-1)}' is none`,
    })),
    ...MISSPELLED.map(([request, body]) => ({
      ...{ by: 'anyone' as const, request, body },
      code: request === 'POST /user' ? 304 : 410,
    })),
  ],
  'Names that are taken but for their white space': [
    {
      code: 702,
      by: 'admin',
      request: 'POST /product',
      body: { name: '{tabbed}', description: 'd', classification: 'Unclassified' },
    },
    { code: 702, by: 'admin', request: 'PUT /product/{product}', body: { name: '{tabbed}' } },
    {
      code: 801,
      by: 'admin',
      request: 'POST /group',
      body: { name: '{tabbed}', description: 'd' },
    },
    { code: 801, by: 'admin', request: 'PUT /group/{group}', body: { name: '{tabbed}' } },
    {
      code: 1200,
      by: 'admin',
      request: 'POST /component/{product}',
      body: { ...component, name: '{tabbed}' },
    },
    {
      code: 1200,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { name: '{tabbed}' },
    },
    {
      code: 32_000,
      by: 'admin',
      request: 'POST /product/{product}/version',
      body: { name: '{tabbed}' },
    },
    {
      code: 32_000,
      by: 'admin',
      request: 'PUT /product/{product}/version/unspecified',
      body: { name: '{tabbed}' },
    },
    {
      code: 32_000,
      by: 'admin',
      request: 'POST /product/{product}/milestone',
      body: { name: 'two\twords' },
    },
    { code: 32_000, by: 'admin', request: 'POST /classification', body: { name: '{tabbed}' } },
    {
      code: 32_000,
      by: 'admin',
      request: 'PUT /classification/{classification}',
      body: { name: '{tabbed}' },
    },
  ],
  'What is too much at once': [
    {
      code: 53,
      by: 'admin',
      request: 'PUT /product/{product}',
      body: { description: 'x'.repeat(65_536) },
    },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /group/{group}',
      body: { description: 'x'.repeat(65_536) },
    },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { team_name: 'x'.repeat(65_536) },
    },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { default_cc: MANY },
    },
    { code: 53, by: 'admin', request: 'PUT /user/{login}', body: { groups: { add: MANY } } },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /group/{group}/grants',
      body: { members_from: { set: MANY } },
    },
    { code: 53, by: 'admin', request: 'PUT /field/bug/{list}', body: { values: MANY } },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /flag_type/{flag}',
      body: { inclusions: [{ '{product}': MANY }] },
    },
    {
      code: 53,
      by: 'admin',
      request: 'PUT /field/bug/status/values/CONFIRMED',
      body: { can_change_to: MANY },
    },
  ],
}
