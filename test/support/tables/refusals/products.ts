import type { StructureSenders } from '../../worlds/structure-world.ts'
import { type Refusal, refused } from './refusal.ts'

/** What the operations on products, their parts, and classifications refuse. */
export const PRODUCT_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Get Product Figures': [
    refused(106, 'anyone', 'GET /product/NoSuch/figures'),
    refused(106, 'anyone', 'GET /product/99999/figures'),
  ],
  'Create Product': [
    refused(51, 'admin', 'POST /product', {
      name: 'n',
      description: 'd',
      classification: 'NoSuch',
    }),
    refused(700, 'admin', 'POST /product', { description: 'd', classification: 'Unclassified' }),
    refused(701, 'admin', 'POST /product', {
      name: '{long}',
      description: 'd',
      classification: 'Unclassified',
    }),
    refused(702, 'admin', 'POST /product', {
      name: '{product}',
      description: 'd',
      classification: 'Unclassified',
    }),
    refused(703, 'admin', 'POST /product', { name: 'n', classification: 'Unclassified' }),
    refused(50, 'admin', 'POST /product', { name: 'n', description: 'd' }),
    refused(53, 'admin', 'POST /product', {
      name: 'n',
      description: 'd',
      classification: 'Unclassified',
      default_milestone: '{long}',
    }),
    refused(410, 'anyone', 'POST /product', {}),
    refused(304, 'keeper', 'POST /product', {
      name: 'n',
      description: 'd',
      classification: 'Unclassified',
    }),
    refused(700, 'admin', 'POST /product', {
      description: 'd',
      classification: 'Unclassified',
      name: ' ',
    }),
    refused(703, 'admin', 'POST /product', {
      name: 'n',
      classification: 'Unclassified',
      description: '\n',
    }),
    refused(53, 'admin', 'POST /product', {
      name: 'n',
      description: 'd',
      classification: 'Unclassified',
      default_version: 'x'.repeat(65),
    }),
    refused(304, 'outsider', 'POST /product', {
      name: 'n',
      description: 'd',
      classification: 'Unclassified',
    }),
  ],
  'Update Product': [
    refused(700, 'admin', 'PUT /product/{product}', { name: ' ' }),
    refused(701, 'admin', 'PUT /product/{product}', { name: '{long}' }),
    refused(702, 'admin', 'PUT /product/{product}', { name: '{other}' }),
    refused(702, 'admin', 'PUT /product/{product}', { names: ['{other}'], name: 'both' }),
    refused(703, 'admin', 'PUT /product/{product}', { description: '' }),
    refused(705, 'admin', 'PUT /product/{product}', { default_milestone: 'NoSuch' }),
    refused(706, 'admin', 'PUT /product/{product}', { default_version: 'NoSuch' }),
    refused(106, 'admin', 'PUT /product/{secret}', { is_open: false }),
    refused(106, 'admin', 'PUT /product/NoSuch', { is_open: false }),
    refused(410, 'anyone', 'PUT /product/{product}', {}),
    refused(304, 'keeper', 'PUT /product/{product}', { is_open: false }),
    refused(705, 'admin', 'PUT /product/{product}', { default_milestone: '' }),
    refused(706, 'admin', 'PUT /product/{product}', { version: ' ' }),
    refused(304, 'outsider', 'PUT /product/{product}', { is_open: false }),
  ],
  Classifications: [
    refused(410, 'anyone', 'POST /classification', { name: 'n' }),
    refused(304, 'outsider', 'POST /classification', { name: 'n' }),
    refused(50, 'admin', 'POST /classification', {}),
    refused(53, 'admin', 'POST /classification', { name: '{long}' }),
    refused(53, 'admin', 'POST /classification', { name: 'n', sort_key: 40_000 }),
    refused(32_000, 'admin', 'POST /classification', { name: '{classification}' }),
    refused(51, 'admin', 'PUT /classification/NoSuch', {}),
    refused(51, 'anyone', 'GET /classification/NoSuch'),
    refused(32_000, 'admin', 'DELETE /classification/Unclassified'),
  ],
  'Versions and milestones': [
    refused(410, 'anyone', 'POST /product/{product}/version', { name: 'n' }),
    refused(304, 'keeper', 'POST /product/{other}/version', { name: 'n' }),
    refused(106, 'admin', 'POST /product/{secret}/milestone', { name: 'n' }),
    refused(50, 'keeper', 'POST /product/{product}/version', {}),
    refused(53, 'keeper', 'POST /product/{product}/version', { name: '{long}' }),
    refused(53, 'keeper', 'POST /product/{product}/milestone', {
      name: 'of more than twenty letters',
    }),
    refused(32_000, 'keeper', 'POST /product/{product}/milestone', { name: 'TAKEN' }),
    refused(51, 'keeper', 'PUT /product/{product}/milestone/NoSuch', {}),
    refused(32_000, 'keeper', 'DELETE /product/{product}/version/unspecified'),
  ],
  'Group controls': [
    refused(410, 'anyone', 'GET /product/{product}/group_control'),
    refused(304, 'keeper', 'GET /product/{product}/group_control'),
    refused(106, 'admin', 'GET /product/{secret}/group_control'),
    refused(51, 'admin', 'PUT /product/{product}/group_control/NoSuch', {}),
    refused(51, 'admin', 'PUT /product/{product}/group_control/{group}', {
      membercontrol: 'MANDATORY',
    }),
    refused(53, 'admin', 'PUT /product/{product}/group_control/editbugs', { entry: true }),
  ],
}
