import type { StructureSenders } from '../../worlds/structure-world.ts'
import type { Refusal } from './refusal.ts'

/** What the operations on fields, their values, and the workflow refuse. */
export const FIELD_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Bug fields': [
    { code: 51, by: 'anyone', request: 'GET /field/bug/NoSuch' },
    { code: 51, by: 'anyone', request: 'GET /field/bug/999999999' },
    { code: 52, by: 'anyone', request: 'GET /field/bug?ids=one' },
  ],
  'Legal values': [
    { code: 106, by: 'anyone', request: 'GET /field/bug/version/values' },
    { code: 106, by: 'anyone', request: 'GET /field/bug/component/999999999/values' },
    { code: 106, by: 'admin', request: 'GET /field/bug/target_milestone/{secretId}/values' },
    { code: 108, by: 'anyone', request: 'GET /field/bug/NoSuch/values' },
    { code: 108, by: 'anyone', request: 'GET /field/bug/summary/values' },
  ],
  'Custom fields': [
    { code: 410, by: 'anyone', request: 'POST /field/bug', body: { name: 'cf_n', type: 1 } },
    { code: 304, by: 'editor', request: 'POST /field/bug', body: { name: 'cf_n', type: 1 } },
    { code: 50, by: 'admin', request: 'POST /field/bug', body: { type: 1 } },
    {
      code: 51,
      by: 'admin',
      request: 'POST /field/bug',
      body: { name: 'cf_n', type: 1, visibility_field: 'NoSuch' },
    },
    { code: 52, by: 'admin', request: 'POST /field/bug', body: { name: 'cf_n', type: 'words' } },
    { code: 53, by: 'admin', request: 'POST /field/bug', body: { name: 'plain', type: 1 } },
    { code: 53, by: 'admin', request: 'PUT /field/bug/{words}', body: { value_field: 'priority' } },
    { code: 32_000, by: 'admin', request: 'POST /field/bug', body: { name: '{words}', type: 1 } },
    {
      code: 32_000,
      by: 'admin',
      request: 'PUT /field/bug/priority',
      body: { display_name: 'Urgency' },
    },
    { code: 51, by: 'admin', request: 'PUT /field/bug/NoSuch', body: {} },
  ],
  'Values and workflow': [
    { code: 410, by: 'anyone', request: 'POST /field/bug/{list}/values', body: { name: 'n' } },
    { code: 304, by: 'editor', request: 'PUT /field/bug/{list}/values/one', body: {} },
    { code: 50, by: 'admin', request: 'POST /field/bug/{list}/values', body: {} },
    { code: 51, by: 'admin', request: 'POST /field/bug/NoSuch/values', body: { name: 'n' } },
    { code: 51, by: 'admin', request: 'PUT /field/bug/{list}/values/NoSuch', body: {} },
    {
      code: 51,
      by: 'admin',
      request: 'PUT /field/bug/status/values/CONFIRMED',
      body: { can_change_to: ['NoSuch'] },
    },
    { code: 53, by: 'admin', request: 'PUT /field/bug/{list}/values/one', body: { is_open: true } },
    { code: 108, by: 'admin', request: 'POST /field/bug/{words}/values', body: { name: 'n' } },
    {
      code: 32_000,
      by: 'admin',
      request: 'PUT /field/bug/{list}/values/one',
      body: { name: 'TWO' },
    },
    { code: 32_000, by: 'admin', request: 'DELETE /field/bug/status/values/UNCONFIRMED' },
    {
      code: 32_000,
      by: 'admin',
      request: 'PUT /field/bug/resolution/values/DUPLICATE',
      body: { is_active: false },
    },
  ],
}
