import type { StructureSenders } from '../../worlds/structure-world.ts'
import { type Refusal, refused } from './refusal.ts'

const saved = { name: 'New', query: 'id=1' }

/** What saving, changing, listing and running searches refuse. */
export const SAVED_SEARCH_REFUSALS: Record<string, readonly Refusal<keyof StructureSenders>[]> = {
  'Save a search': [
    refused(410, 'anyone', 'POST /saved_search', saved),
    ...[
      { code: 50, body: { query: 'id=1' }, naming: 'name' },
      { code: 50, body: { name: 'New' }, naming: 'query' },
      { code: 50, body: { ...saved, name: ' \t' }, naming: 'name' },
      { code: 50, body: { ...saved, query: ' ? ' }, naming: 'query' },
      { code: 53, body: { ...saved, name: 'x'.repeat(65) }, naming: '64' },
      { code: 53, body: { ...saved, name: ['New', 'Old'] }, naming: 'name' },
      { code: 53, body: { ...saved, query: `id=${'1,'.repeat(5119)}` }, naming: '10240 bytes' },
      { code: 53, body: { ...saved, query: 'summary=100%&id=1' }, naming: '%25' },
      { code: 53, body: { ...saved, query: 'https://x.test/buglist.cgi?id=1' }, naming: "'?'" },
      { code: 53, body: { ...saved, query: 'id=1&token=x' }, naming: 'token' },
      { code: 53, body: { ...saved, query: 'id=1&savedsearch=Mine' }, naming: 'another' },
      { code: 1000, body: { ...saved, query: 'order=bug_id&limit=5' }, naming: 'search term' },
      { code: 1000, body: { ...saved, query: 'id=&nonsense=1' }, naming: 'search term' },
      { code: 108, body: { ...saved, query: 'f1=NoSuch&o1=isempty' }, naming: 'f1' },
      { code: 304, body: { ...saved, query: 'f1=longdescs.isprivate&o1=isempty' } },
      { code: 32_000, body: { ...saved, query: 'f1=cc&o1=NoSuch&v1=x' }, naming: 'o1' },
      { code: 804, body: { ...saved, shared_with: 'NoSuch' }, naming: 'shared_with' },
      { code: 804, body: { ...saved, shared_with: '{group}' }, naming: 'shared_with' },
      { code: 804, body: { ...saved, shared_with: '1' }, naming: 'shared_with' },
      { code: 32_000, body: { ...saved, name: ' MINE ' }, naming: 'MINE' },
    ].map((refusal) => ({ ...refusal, by: 'outsider' as const, request: 'POST /saved_search' })),
  ],
  'Change a saved search': [
    refused(410, 'anyone', 'PUT /saved_search/{search}', {}),
    refused(51, 'outsider', 'PUT /saved_search/999999999', { name: 'x' }),
    refused(51, 'outsider', 'PUT /saved_search/{hiddenSearch}', { name: 'x' }),
    refused(51, 'admin', 'PUT /saved_search/{search}', { name: 'x' }),
    refused(52, 'outsider', 'PUT /saved_search/Mine', { name: 'x' }),
    ...[
      { code: 50, body: { name: '' } },
      { code: 50, body: { query: '' } },
      { code: 1000, body: { query: 'order=id' } },
      { code: 804, body: { shared_with: '{group}' } },
      { code: 32_000, body: { name: 'oTHER' }, naming: 'oTHER' },
    ].map((refusal) => ({
      ...refusal,
      ...{ by: 'outsider' as const, request: 'PUT /saved_search/{search}' },
    })),
  ],
  'Remove a saved search': [
    refused(410, 'anyone', 'DELETE /saved_search/{search}'),
    refused(51, 'outsider', 'DELETE /saved_search/{hiddenSearch}'),
    refused(51, 'admin', 'DELETE /saved_search/{search}'),
    refused(52, 'outsider', 'DELETE /saved_search/0'),
  ],
  'List saved searches': [
    refused(410, 'anyone', 'GET /saved_search'),
    refused(50, 'outsider', 'GET /saved_search?offset=1'),
    refused(52, 'outsider', 'GET /saved_search?limit=-1'),
  ],
  'Run a saved search': [
    refused(410, 'anyone', 'GET /bug?savedsearch=Mine'),
    { code: 51, by: 'outsider', request: 'GET /bug?savedsearch=NoSuch', naming: 'savedsearch' },
    { code: 51, by: 'outsider', request: 'GET /bug?namedcmd=NoSuch', naming: 'namedcmd' },
    refused(51, 'outsider', 'GET /bug?savedsearch=Hidden'),
    refused(51, 'outsider', 'GET /bug?savedsearch=Hidden&sharer_id={keeperId}'),
    refused(51, 'admin', 'GET /bug?savedsearch=Hidden&sharer_id={keeperId}'),
    refused(52, 'outsider', 'GET /bug?savedsearch=Mine&sharer_id=me'),
    refused(53, 'outsider', 'GET /bug?savedsearch=Mine&savedsearch=Other'),
    {
      code: 53,
      by: 'outsider',
      request: 'GET /bug?cmdtype=dorem&remaction=forget&namedcmd=Mine',
      naming: 'remaction',
    },
    refused(1000, 'outsider', 'GET /bug?savedsearch=&cmdtype=doit&namedcmd=Mine'),
  ],
}
