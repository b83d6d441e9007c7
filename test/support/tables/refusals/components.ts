import type { StructureSenders } from '../../worlds/structure-world.ts'
import { type Refusal, refused } from './refusal.ts'

const component = { description: 'd', default_assignee: '{login}', team_name: 't' }

/** What the operations on components refuse. */
export const COMPONENT_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Get Component': [
    refused(50, 'anyone', 'GET /component?product={product}'),
    refused(51, 'anyone', 'GET /component/{product}/NoSuch'),
    refused(106, 'admin', 'GET /component/{secret}/NoSuch'),
  ],
  'Create Component': [
    refused(50, 'admin', 'POST /component/{product}', { ...component, name: ' ' }),
    refused(50, 'admin', 'POST /component/{product}', { ...component, name: 'n', team_name: '' }),
    refused(50, 'admin', 'POST /component', { ...component, name: 'n' }),
    refused(51, 'admin', 'POST /component/{product}', {
      ...component,
      name: 'n',
      default_assignee: 'NoSuch',
    }),
    refused(105, 'admin', 'POST /component/{product}', { ...component, name: '{long}' }),
    refused(106, 'admin', 'POST /component/{secret}', { ...component, name: 'n' }),
    refused(1200, 'keeper', 'POST /component/{product}', { ...component, name: '{component}' }),
    refused(304, 'keeper', 'POST /component/{other}', { ...component, name: 'n' }),
    refused(410, 'anyone', 'POST /component/{product}', component),
    refused(32_000, 'admin', 'POST /component/{product}', '{'),
  ],
  'Update Component': [
    refused(50, 'admin', 'PUT /component/{product}/{component}', { description: ' ' }),
    refused(51, 'admin', 'PUT /component/{product}/NoSuch', {}),
    refused(51, 'admin', 'PUT /component/999999999', {}),
    refused(51, 'admin', 'PUT /component/{product}/{component}', { triage_owner: 'NoSuch' }),
    refused(105, 'admin', 'PUT /component/{product}/{component}', { name: '{long}' }),
    refused(106, 'admin', 'PUT /component/{secret}/NoSuch', {}),
    refused(304, 'outsider', 'PUT /component/{product}/{component}', {}),
    refused(410, 'anyone', 'PUT /component/{product}/{component}', {}),
    refused(32_000, 'admin', 'PUT /component/{product}/{component}', '['),
  ],
}
