import type { StructureSenders } from '../../worlds/structure-world.ts'
import { type Refusal, refused } from './refusal.ts'

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
      ...refused(53, 'admin' as const, request, body),
      naming: `'${Object.keys(body).at(-1)}' is none`,
    })),
    ...MISSPELLED.map(([request, body]) => ({
      ...{ by: 'anyone' as const, request, body },
      code: request === 'POST /user' ? 304 : 410,
    })),
  ],
  'Names that are taken but for their white space': [
    refused(702, 'admin', 'POST /product', {
      name: '{tabbed}',
      description: 'd',
      classification: 'Unclassified',
    }),
    refused(702, 'admin', 'PUT /product/{product}', { name: '{tabbed}' }),
    refused(801, 'admin', 'POST /group', { name: '{tabbed}', description: 'd' }),
    refused(801, 'admin', 'PUT /group/{group}', { name: '{tabbed}' }),
    refused(1200, 'admin', 'POST /component/{product}', { ...component, name: '{tabbed}' }),
    refused(1200, 'admin', 'PUT /component/{product}/{component}', { name: '{tabbed}' }),
    refused(32_000, 'admin', 'POST /product/{product}/version', { name: '{tabbed}' }),
    refused(32_000, 'admin', 'PUT /product/{product}/version/unspecified', { name: '{tabbed}' }),
    refused(32_000, 'admin', 'POST /product/{product}/milestone', { name: 'two\twords' }),
    refused(32_000, 'admin', 'POST /classification', { name: '{tabbed}' }),
    refused(32_000, 'admin', 'PUT /classification/{classification}', { name: '{tabbed}' }),
  ],
  'What is too much at once': [
    refused(53, 'admin', 'PUT /product/{product}', { description: 'x'.repeat(65_536) }),
    refused(53, 'admin', 'PUT /group/{group}', { description: 'x'.repeat(65_536) }),
    refused(53, 'admin', 'PUT /component/{product}/{component}', { team_name: 'x'.repeat(65_536) }),
    refused(53, 'admin', 'PUT /component/{product}/{component}', { default_cc: MANY }),
    refused(53, 'admin', 'PUT /user/{login}', { groups: { add: MANY } }),
    refused(53, 'admin', 'PUT /group/{group}/grants', { members_from: { set: MANY } }),
    refused(53, 'admin', 'PUT /field/bug/{list}', { values: MANY }),
    refused(53, 'admin', 'PUT /flag_type/{flag}', { inclusions: [{ '{product}': MANY }] }),
    refused(53, 'admin', 'PUT /field/bug/status/values/CONFIRMED', { can_change_to: MANY }),
  ],
}
