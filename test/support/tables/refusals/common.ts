import type { StructureSenders } from '../../worlds/structure-world.ts'
import type { Refusal } from './refusal.ts'

/** More entries than any list may have. */
const MANY = Array.from({ length: 1001 }, (_, i) => `x${i}`)
const component = { description: 'd', default_assignee: '{login}', team_name: 't' }

/** What all operations on structure refuse alike. */
export const COMMON_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
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
