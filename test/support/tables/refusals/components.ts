import type { StructureSenders } from '../../worlds/structure-world.ts'
import type { Refusal } from './refusal.ts'

const component = { description: 'd', default_assignee: '{login}', team_name: 't' }

/** What the operations on components refuse. */
export const COMPONENT_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Get Component': [
    { code: 50, by: 'anyone', request: 'GET /component?product={product}' },
    { code: 51, by: 'anyone', request: 'GET /component/{product}/NoSuch' },
    { code: 106, by: 'admin', request: 'GET /component/{secret}/NoSuch' },
  ],
  'Create Component': [
    {
      code: 50,
      by: 'admin',
      request: 'POST /component/{product}',
      body: { ...component, name: ' ' },
    },
    {
      code: 50,
      by: 'admin',
      request: 'POST /component/{product}',
      body: { ...component, name: 'n', team_name: '' },
    },
    { code: 50, by: 'admin', request: 'POST /component', body: { ...component, name: 'n' } },
    {
      code: 51,
      by: 'admin',
      request: 'POST /component/{product}',
      body: { ...component, name: 'n', default_assignee: 'NoSuch' },
    },
    {
      code: 105,
      by: 'admin',
      request: 'POST /component/{product}',
      body: { ...component, name: '{long}' },
    },
    {
      code: 106,
      by: 'admin',
      request: 'POST /component/{secret}',
      body: { ...component, name: 'n' },
    },
    {
      code: 1200,
      by: 'keeper',
      request: 'POST /component/{product}',
      body: { ...component, name: '{component}' },
    },
    {
      code: 304,
      by: 'keeper',
      request: 'POST /component/{other}',
      body: { ...component, name: 'n' },
    },
    { code: 410, by: 'anyone', request: 'POST /component/{product}', body: component },
    { code: 32_000, by: 'admin', request: 'POST /component/{product}', body: '{' },
  ],
  'Update Component': [
    {
      code: 50,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { description: ' ' },
    },
    { code: 51, by: 'admin', request: 'PUT /component/{product}/NoSuch', body: {} },
    { code: 51, by: 'admin', request: 'PUT /component/999999999', body: {} },
    {
      code: 51,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { triage_owner: 'NoSuch' },
    },
    {
      code: 105,
      by: 'admin',
      request: 'PUT /component/{product}/{component}',
      body: { name: '{long}' },
    },
    { code: 106, by: 'admin', request: 'PUT /component/{secret}/NoSuch', body: {} },
    { code: 304, by: 'outsider', request: 'PUT /component/{product}/{component}', body: {} },
    { code: 410, by: 'anyone', request: 'PUT /component/{product}/{component}', body: {} },
    { code: 32_000, by: 'admin', request: 'PUT /component/{product}/{component}', body: '[' },
  ],
}
