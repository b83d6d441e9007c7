import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { expectFault, send } from '../support/client.ts'
import { fetchWith } from '../support/clients/service.ts'
import { countRows } from '../support/database/execute.ts'
import {
  buildStructureWorld,
  type StructureSenders,
  type WorldNames,
} from '../support/worlds/structure-world.ts'

/**
 * Every number with which the contract and the administration API let operations on people, groups,
 * products, components, fields and flag types refuse, each by a request that gets it and changes nothing.
 */

type Request = readonly [code: number, who: keyof StructureSenders, request: string, body?: unknown]

/** Numbers of the contract's table of errors, by its rows. */
const CONTRACT: Record<string, readonly Request[]> = {
  'Create Product': [
    [51, 'admin', 'POST /product', { name: 'n', description: 'd', classification: 'NoSuch' }],
    [700, 'admin', 'POST /product', { description: 'd', classification: 'Unclassified' }],
    [
      701,
      'admin',
      'POST /product',
      { name: '{long}', description: 'd', classification: 'Unclassified' },
    ],
    [
      702,
      'admin',
      'POST /product',
      { name: '{product}', description: 'd', classification: 'Unclassified' },
    ],
    [703, 'admin', 'POST /product', { name: 'n', classification: 'Unclassified' }],
    [50, 'admin', 'POST /product', { name: 'n', description: 'd' }],
    [
      53,
      'admin',
      'POST /product',
      { name: 'n', description: 'd', classification: 'Unclassified', default_milestone: '{long}' },
    ],
    [410, 'anyone', 'POST /product', {}],
    [
      304,
      'keeper',
      'POST /product',
      { name: 'n', description: 'd', classification: 'Unclassified' },
    ],
  ],
  'Update Product': [
    [700, 'admin', 'PUT /product/{product}', { name: ' ' }],
    [701, 'admin', 'PUT /product/{product}', { name: '{long}' }],
    [702, 'admin', 'PUT /product/{product}', { name: '{other}' }],
    [702, 'admin', 'PUT /product/{product}', { names: ['{other}'], name: 'both' }],
    [703, 'admin', 'PUT /product/{product}', { description: '' }],
    [705, 'admin', 'PUT /product/{product}', { default_milestone: 'NoSuch' }],
    [706, 'admin', 'PUT /product/{product}', { default_version: 'NoSuch' }],
    [106, 'admin', 'PUT /product/{secret}', { is_open: false }],
    [106, 'admin', 'PUT /product/NoSuch', { is_open: false }],
    [410, 'anyone', 'PUT /product/{product}', {}],
    [304, 'keeper', 'PUT /product/{product}', { is_open: false }],
  ],
  'Create Group': [
    [800, 'admin', 'POST /group', { description: 'd' }],
    [801, 'admin', 'POST /group', { name: '{group}', description: 'd' }],
    [802, 'admin', 'POST /group', { name: 'n' }],
    [803, 'admin', 'POST /group', { name: 'n', description: 'd', user_regexp: '\\' }],
    [410, 'anyone', 'POST /group', {}],
    [304, 'editor', 'POST /group', { name: 'n', description: 'd' }],
  ],
  'Update Group': [
    [800, 'admin', 'PUT /group/{group}', { name: '' }],
    [801, 'admin', 'PUT /group/{group}', { name: 'admin' }],
    [801, 'admin', 'PUT /group/{group}', { names: ['admin'], name: 'both' }],
    [802, 'admin', 'PUT /group/{group}', { description: '' }],
    [803, 'admin', 'PUT /group/{group}', { user_regexp: '(?<=a)b' }],
    [51, 'admin', 'PUT /group/NoSuch', {}],
    [410, 'anyone', 'PUT /group/{group}', {}],
    [304, 'editor', 'PUT /group/{group}', {}],
  ],
  'Get Group': [
    [51, 'admin', 'GET /group/NoSuch'],
    [51, 'editor', 'GET /group?names=admin&names=NoSuch'],
    [52, 'admin', 'GET /group?ids=one'],
    [805, 'outsider', 'GET /group/{group}?membership=1'],
    [805, 'outsider', 'GET /group'],
    [410, 'anyone', 'GET /group'],
  ],
  Login: [
    [300, 'anyone', 'GET /login?login={login}&password=wrong'],
    [301, 'anyone', 'GET /login?login={disabled}&password={password}'],
    [305, 'anyone', 'GET /login?login={renewing}&password={password}'],
    [50, 'anyone', 'GET /login?login={login}'],
    [50, 'anyone', 'GET /login?password=wrong'],
  ],
  'Create User': [
    [502, 'admin', 'POST /user', { email: 'new@example.test', password: 'short' }],
    [50, 'admin', 'POST /user', { full_name: 'No Address' }],
    [500, 'admin', 'POST /user', { email: '{login}' }],
    [501, 'admin', 'POST /user', { email: 'nobody' }],
    [304, 'outsider', 'POST /user', { email: 'new@example.test' }],
    [304, 'anyone', 'POST /user', { email: 'new@example.test' }],
  ],
  'Update User': [
    [51, 'admin', 'PUT /user/{login}', { names: ['NoSuch'] }],
    [304, 'outsider', 'PUT /user/{login}', { full_name: 'x' }],
    [304, 'editor', 'PUT /user/{login}', { groups: { add: ['{group}'] } }],
    [304, 'editor', 'PUT /user/{login}', { bless_groups: { add: ['NoSuch'] } }],
    [53, 'admin', 'PUT /user/{login}', { groups: { add: '{group}' } }],
    [500, 'admin', 'PUT /user/{login}', { email: '{disabled}' }],
    [500, 'admin', 'PUT /user/{login}', { names: ['{disabled}'], email: 'both@example.test' }],
    [501, 'admin', 'PUT /user/{login}', { email: 'nobody' }],
    [502, 'admin', 'PUT /user/{login}', { password: 'short' }],
    [52, 'admin', 'PUT /user/0', {}],
    [410, 'anyone', 'PUT /user/{login}', {}],
  ],
  'Get User': [
    [51, 'outsider', 'GET /user/NoSuch'],
    [51, 'outsider', 'GET /user?names={login}&group_ids=999999999'],
    [52, 'outsider', 'GET /user?ids=0'],
    [52, 'outsider', 'GET /user?match=a&limit=-1'],
    [505, 'anyone', 'GET /user?ids=1'],
    [505, 'anyone', 'GET /user?match=a'],
    [804, 'outsider', 'GET /user?match=a&groups=NoSuch'],
    [804, 'outsider', 'GET /user?match=a&groups={group}'],
    [50, 'outsider', 'GET /user?groups={group}'],
  ],
  'Bug fields': [
    [51, 'anyone', 'GET /field/bug/NoSuch'],
    [51, 'anyone', 'GET /field/bug/999999999'],
    [52, 'anyone', 'GET /field/bug?ids=one'],
  ],
  'Legal values': [
    [106, 'anyone', 'GET /field/bug/version/values'],
    [106, 'anyone', 'GET /field/bug/component/999999999/values'],
    [106, 'admin', 'GET /field/bug/target_milestone/{secretId}/values'],
    [108, 'anyone', 'GET /field/bug/NoSuch/values'],
    [108, 'anyone', 'GET /field/bug/summary/values'],
  ],
}

const MANY = Array.from({ length: 1001 }, (_, i) => `x${i}`)
const component = { description: 'd', default_assignee: '{login}', team_name: 't' }

/** Numbers of operations for which the contract shows none. */
const ADMINISTRATION: Record<string, readonly Request[]> = {
  'Get Component': [
    [50, 'anyone', 'GET /component?product={product}'],
    [51, 'anyone', 'GET /component/{product}/NoSuch'],
    [106, 'admin', 'GET /component/{secret}/NoSuch'],
  ],
  'Create Component': [
    [50, 'admin', 'POST /component/{product}', { ...component, name: ' ' }],
    [50, 'admin', 'POST /component/{product}', { ...component, name: 'n', team_name: '' }],
    [50, 'admin', 'POST /component', { ...component, name: 'n' }],
    [
      51,
      'admin',
      'POST /component/{product}',
      { ...component, name: 'n', default_assignee: 'NoSuch' },
    ],
    [105, 'admin', 'POST /component/{product}', { ...component, name: '{long}' }],
    [106, 'admin', 'POST /component/{secret}', { ...component, name: 'n' }],
    [1200, 'keeper', 'POST /component/{product}', { ...component, name: '{component}' }],
    [304, 'keeper', 'POST /component/{other}', { ...component, name: 'n' }],
    [410, 'anyone', 'POST /component/{product}', component],
    [32_000, 'admin', 'POST /component/{product}', '{'],
  ],
  'Update Component': [
    [50, 'admin', 'PUT /component/{product}/{component}', { description: ' ' }],
    [51, 'admin', 'PUT /component/{product}/NoSuch', {}],
    [51, 'admin', 'PUT /component/999999999', {}],
    [51, 'admin', 'PUT /component/{product}/{component}', { triage_owner: 'NoSuch' }],
    [105, 'admin', 'PUT /component/{product}/{component}', { name: '{long}' }],
    [106, 'admin', 'PUT /component/{secret}/NoSuch', {}],
    [304, 'outsider', 'PUT /component/{product}/{component}', {}],
    [410, 'anyone', 'PUT /component/{product}/{component}', {}],
    [32_000, 'admin', 'PUT /component/{product}/{component}', '['],
  ],
  Classifications: [
    [410, 'anyone', 'POST /classification', { name: 'n' }],
    [304, 'outsider', 'POST /classification', { name: 'n' }],
    [50, 'admin', 'POST /classification', {}],
    [53, 'admin', 'POST /classification', { name: '{long}' }],
    [53, 'admin', 'POST /classification', { name: 'n', sort_key: 40_000 }],
    [32_000, 'admin', 'POST /classification', { name: '{classification}' }],
    [51, 'admin', 'PUT /classification/NoSuch', {}],
    [51, 'anyone', 'GET /classification/NoSuch'],
    [32_000, 'admin', 'DELETE /classification/Unclassified'],
  ],
  'Versions and milestones': [
    [410, 'anyone', 'POST /product/{product}/version', { name: 'n' }],
    [304, 'keeper', 'POST /product/{other}/version', { name: 'n' }],
    [106, 'admin', 'POST /product/{secret}/milestone', { name: 'n' }],
    [50, 'keeper', 'POST /product/{product}/version', {}],
    [53, 'keeper', 'POST /product/{product}/version', { name: '{long}' }],
    [53, 'keeper', 'POST /product/{product}/milestone', { name: 'of more than twenty letters' }],
    [32_000, 'keeper', 'POST /product/{product}/milestone', { name: 'TAKEN' }],
    [51, 'keeper', 'PUT /product/{product}/milestone/NoSuch', {}],
    [32_000, 'keeper', 'DELETE /product/{product}/version/unspecified'],
  ],
  'Group controls': [
    [410, 'anyone', 'GET /product/{product}/group_control'],
    [304, 'keeper', 'GET /product/{product}/group_control'],
    [106, 'admin', 'GET /product/{secret}/group_control'],
    [51, 'admin', 'PUT /product/{product}/group_control/NoSuch', {}],
    [51, 'admin', 'PUT /product/{product}/group_control/{group}', { membercontrol: 'MANDATORY' }],
    [53, 'admin', 'PUT /product/{product}/group_control/editbugs', { entry: true }],
  ],
  'Flag types': [
    [410, 'anyone', 'POST /flag_type', { name: 'n', description: 'd' }],
    [304, 'outsider', 'POST /flag_type', { name: 'n', description: 'd' }],
    [1105, 'keeper', 'POST /flag_type', { name: 'n', description: 'd' }],
    [1105, 'keeper', 'PUT /flag_type/{flag}', { description: 'd' }],
    [50, 'admin', 'POST /flag_type', { name: 'n' }],
    [1101, 'admin', 'POST /flag_type', { name: 'two words', description: 'd' }],
    [1102, 'admin', 'POST /flag_type', { name: 'n', description: ' ' }],
    [1103, 'admin', 'PUT /flag_type/{flag}', { cc_list: `${'x'.repeat(200)}@example.test` }],
    [1104, 'admin', 'PUT /flag_type/{flag}', { sortkey: 40_000 }],
    [501, 'admin', 'PUT /flag_type/{flag}', { cc_list: 'nobody' }],
    [53, 'admin', 'PUT /flag_type/{flag}', { target_type: 'comment' }],
    [51, 'admin', 'PUT /flag_type/999999999', {}],
    [51, 'admin', 'PUT /flag_type/{flag}', { grant_group: 'NoSuch' }],
    [51, 'admin', 'PUT /flag_type/{flag}', { inclusions: [{ '{product}': ['NoSuch'] }] }],
    [106, 'admin', 'PUT /flag_type/{flag}', { exclusions: ['{secret}'] }],
    [106, 'anyone', 'GET /flag_type/NoSuch'],
    [51, 'anyone', 'GET /flag_types/{product}/NoSuch'],
  ],
  Keywords: [
    [410, 'anyone', 'POST /keyword', { name: 'n', description: 'd' }],
    [304, 'outsider', 'POST /keyword', { name: 'n', description: 'd' }],
    [50, 'admin', 'POST /keyword', { name: 'n' }],
    [53, 'admin', 'POST /keyword', { name: 'two words', description: 'd' }],
    [32_000, 'admin', 'POST /keyword', { name: '{keyword}', description: 'd' }],
    [51, 'admin', 'PUT /keyword/NoSuch', {}],
    [51, 'admin', 'DELETE /keyword/NoSuch'],
  ],
  'Custom fields': [
    [410, 'anyone', 'POST /field/bug', { name: 'cf_n', type: 1 }],
    [304, 'editor', 'POST /field/bug', { name: 'cf_n', type: 1 }],
    [50, 'admin', 'POST /field/bug', { type: 1 }],
    [51, 'admin', 'POST /field/bug', { name: 'cf_n', type: 1, visibility_field: 'NoSuch' }],
    [52, 'admin', 'POST /field/bug', { name: 'cf_n', type: 'words' }],
    [53, 'admin', 'POST /field/bug', { name: 'plain', type: 1 }],
    [53, 'admin', 'PUT /field/bug/{words}', { value_field: 'priority' }],
    [32_000, 'admin', 'POST /field/bug', { name: '{words}', type: 1 }],
    [32_000, 'admin', 'PUT /field/bug/priority', { display_name: 'Urgency' }],
    [51, 'admin', 'PUT /field/bug/NoSuch', {}],
  ],
  'Values and workflow': [
    [410, 'anyone', 'POST /field/bug/{list}/values', { name: 'n' }],
    [304, 'editor', 'PUT /field/bug/{list}/values/one', {}],
    [50, 'admin', 'POST /field/bug/{list}/values', {}],
    [51, 'admin', 'POST /field/bug/NoSuch/values', { name: 'n' }],
    [51, 'admin', 'PUT /field/bug/{list}/values/NoSuch', {}],
    [51, 'admin', 'PUT /field/bug/status/values/CONFIRMED', { can_change_to: ['NoSuch'] }],
    [53, 'admin', 'PUT /field/bug/{list}/values/one', { is_open: true }],
    [108, 'admin', 'POST /field/bug/{words}/values', { name: 'n' }],
    [32_000, 'admin', 'PUT /field/bug/{list}/values/one', { name: 'TWO' }],
    [32_000, 'admin', 'DELETE /field/bug/status/values/UNCONFIRMED'],
    [32_000, 'admin', 'PUT /field/bug/resolution/values/DUPLICATE', { is_active: false }],
  ],
  'Names that are taken but for their white space': [
    [
      702,
      'admin',
      'POST /product',
      { name: '{tabbed}', description: 'd', classification: 'Unclassified' },
    ],
    [702, 'admin', 'PUT /product/{product}', { name: '{tabbed}' }],
    [801, 'admin', 'POST /group', { name: '{tabbed}', description: 'd' }],
    [801, 'admin', 'PUT /group/{group}', { name: '{tabbed}' }],
    [1200, 'admin', 'POST /component/{product}', { ...component, name: '{tabbed}' }],
    [1200, 'admin', 'PUT /component/{product}/{component}', { name: '{tabbed}' }],
    [32_000, 'admin', 'POST /product/{product}/version', { name: '{tabbed}' }],
    [32_000, 'admin', 'PUT /product/{product}/version/unspecified', { name: '{tabbed}' }],
    [32_000, 'admin', 'POST /product/{product}/milestone', { name: 'two\twords' }],
    [32_000, 'admin', 'POST /classification', { name: '{tabbed}' }],
    [32_000, 'admin', 'PUT /classification/{classification}', { name: '{tabbed}' }],
  ],
  'What is too much at once': [
    [53, 'admin', 'PUT /product/{product}', { description: 'x'.repeat(65_536) }],
    [53, 'admin', 'PUT /group/{group}', { description: 'x'.repeat(65_536) }],
    [53, 'admin', 'PUT /component/{product}/{component}', { team_name: 'x'.repeat(65_536) }],
    [53, 'admin', 'PUT /component/{product}/{component}', { default_cc: MANY }],
    [53, 'admin', 'PUT /user/{login}', { groups: { add: MANY } }],
    [53, 'admin', 'PUT /group/{group}/grants', { members_from: { set: MANY } }],
    [53, 'admin', 'PUT /field/bug/{list}', { values: MANY }],
    [53, 'admin', 'PUT /flag_type/{flag}', { inclusions: [{ '{product}': MANY }] }],
    [53, 'admin', 'PUT /field/bug/status/values/CONFIRMED', { can_change_to: MANY }],
  ],
  Grants: [
    [410, 'anyone', 'GET /group/{group}/grants'],
    [304, 'editor', 'GET /group/{group}/grants'],
    [304, 'editor', 'PUT /group/{group}/grants', {}],
    [51, 'admin', 'PUT /group/NoSuch/grants', {}],
    [51, 'admin', 'PUT /group/{group}/grants', { members_from: { add: ['NoSuch'] } }],
    [52, 'admin', 'GET /group/0/grants'],
    [53, 'admin', 'PUT /group/{group}/grants', { members_from: ['{group}'] }],
    [32_000, 'admin', 'PUT /group/editbugs/grants', { members_from: { remove: ['admin'] } }],
  ],
}

let askers: StructureSenders
let names: WorldNames

beforeAll(async () => {
  ;({ askers, names } = await buildStructureWorld())
})

const audits = () => countRows('audit_log', sql`1`)

describe.each(Object.entries({ ...CONTRACT, ...ADMINISTRATION }))('%s', (_, requests) => {
  for (const [code, who, request, body] of requests) {
    test(`answers ${code} to ${who} asking ${request} with ${JSON.stringify(body)?.slice(0, 99)}`, async () => {
      const before = await audits()
      const [method = '', path = ''] = filled(request, encodeURIComponent).split(' ')
      const text = typeof body === 'string' ? body : filled(JSON.stringify(body ?? {}))
      const sent = method === 'GET' ? undefined : text
      const answer = await send(askers[who], method, `/rest${path}`, sent)
      expectFault(answer, answer.status, code)
      expect(answer.status).toBeLessThan(500)
      expect(await audits()).toBe(before)
    })
  }
})

test('Get User answers 304 for somebody whom the caller may not see', async () => {
  const init = { headers: { 'x-tracker-api-key': askers.outsider.key } }
  const path = `/rest/user/${askers.keeper.id}`
  const answer = await fetchWith({ USE_VISIBILITY_GROUPS: 'true' }, path, init)
  expect(await answer.json()).toMatchObject({ error: true, code: 304 })
})

/** The numbers that the contract has for each of these rows of its table. */
test.each<[string, number[]]>([
  ['Create Product', [51, 700, 701, 702, 703]],
  ['Update Product', [700, 701, 702, 703, 705, 706]],
  ['Create Group', [800, 801, 802, 803]],
  ['Update Group', [800, 801, 802, 803]],
  ['Get Group', [51, 805]],
  ['Login', [50, 300, 301, 305]],
  ['Create User', [502]],
  ['Update User', [51, 304]],
  ['Get User', [51, 52, 505, 804]],
  ['Bug fields', [51]],
  ['Legal values', [106, 108]],
])('%s has requests above for all of %j', (row, numbers) => {
  const asked = (CONTRACT[row] ?? []).map(([code]) => code)
  expect(asked).toEqual(expect.arrayContaining(numbers))
})

/** A text with the names of the world in place of those in braces. */
function filled(text: string, written = (name: string) => name): string {
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => {
    const found = names[name]
    return found === undefined ? braces : written(found)
  })
}
