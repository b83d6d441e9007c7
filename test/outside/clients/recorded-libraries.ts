import {
  BEARER,
  HEADER_KEY,
  NAMED,
  type RecordedClients,
  read,
  TRIAGED,
  write,
} from './recorded-request.ts'

/** Libraries, and services that have a client of their own. */
export const LIBRARIES: RecordedClients = {
  Bugsy: [
    [
      'login with both headers',
      read(
        '/rest/login',
        { token: '$ANY' },
        {
          'X-Bugzilla-Login': '$LOGIN',
          'X-Bugzilla-Password': '$PASSWORD',
        },
      ),
    ],
    ['valid_login with a key', read('/rest/valid_login?login=$LOGIN', true, HEADER_KEY)],
    [
      'get',
      read(
        '/rest/bug/$BUG?Bugzilla_api_key=$KEY&include_fields=version&include_fields=id&include_fields=summary' +
          '&include_fields=status&include_fields=op_sys&include_fields=resolution&include_fields=product' +
          '&include_fields=component&include_fields=platform&include_fields=cc_detail',
        { bugs: [{ id: '$BUG', summary: '$ANY', cc_detail: [] }] },
        HEADER_KEY,
      ),
    ],
    [
      'put: a new bug with empty lists, its text as comment',
      write(
        'POST',
        '/rest/bug',
        {
          ...NAMED,
          ...TRIAGED,
          ...{ summary: 'By Bugsy', comment: 'Look.', cc_detail: [], flags: [], groups: [] },
          ...{ blocks: [], cc: [], depends_on: [], keywords: [], see_also: [] },
        },
        { id: '$ANY' },
        HEADER_KEY,
      ),
    ],
    [
      'add_tags, remove_tags',
      write('PUT', '/rest/bug/comment/$COMMENT/tags', { add: ['later'] }, ['later'], HEADER_KEY),
      write('PUT', '/rest/bug/comment/$COMMENT/tags', { remove: ['later'] }, [], HEADER_KEY),
    ],
    [
      'update of an attachment with an empty list of flags',
      write(
        'PUT',
        '/rest/bug/attachment/$FILE',
        { file_name: 'a.txt', summary: 'A file', is_private: 0, flags: [], ids: ['$FILE'] },
        { attachments: [{ id: '$FILE' }] },
        HEADER_KEY,
      ),
    ],
  ],
  'libmozdata (bugbot)': [
    [
      'reads without a key and with an empty header',
      read('/rest/bug?id=$BUG', { bugs: [{ id: '$BUG' }] }, { 'X-Bugzilla-API-Key': '' }),
    ],
    [
      'search: count, then pages',
      read('/rest/bug?product=TestProduct&count_only=1&include_fields=id', { bug_count: '$ANY' }),
      read('/rest/bug?product=TestProduct&include_fields=id&limit=100&order=bug_id&offset=0', {
        bugs: '$ANY',
      }),
    ],
    [
      'comments, history and attachments of several bugs',
      read(
        '/rest/bug/$BUG/comment?ids=$BUG&ids=$OTHER&include_fields=id&include_fields=text',
        { bugs: { $BUG: { comments: [{ id: '$ANY', text: '$ANY' }] }, $OTHER: '$ANY' } },
        HEADER_KEY,
      ),
      read(
        '/rest/bug/$BUG/history?ids=$BUG&ids=$OTHER',
        { bugs: [{ id: '$BUG', history: '$ANY' }, { id: '$OTHER' }] },
        HEADER_KEY,
      ),
      read(
        '/rest/bug/$BUG/attachment?ids=$BUG&ids=$OTHER&exclude_fields=data',
        { bugs: { $BUG: [{ id: '$FILE', data: '$NONE' }], $OTHER: [] } },
        HEADER_KEY,
      ),
      read('/rest/bug/attachment/$FILE?attachment_ids=$FILE', { attachments: { $FILE: '$ANY' } }),
    ],
    [
      'put of several bugs',
      write(
        'PUT',
        '/rest/bug/$BUG',
        { ids: ['$BUG', '$OTHER'], whiteboard: '[bulk]', comment: { body: 'Both.' } },
        { bugs: [{ id: '$BUG' }, { id: '$OTHER' }], error: '$NONE' },
        HEADER_KEY,
      ),
    ],
    [
      'fields, products and components',
      read('/rest/field/bug/status/values', { values: '$ANY' }),
      read('/rest/field/bug/bug_severity', { fields: [{ name: 'bug_severity', values: '$ANY' }] }),
      read('/rest/product?type=enterable&type=selectable', { products: '$ANY' }, HEADER_KEY),
      read('/rest/component?product=TestProduct&component=TestComponent', '$ANY', HEADER_KEY),
    ],
  ],
  'Perceval (bugzillarest)': [
    [
      'fetch of bugs page by page',
      read('/rest/version', { version: '$ANY' }),
      read(
        '/rest/bug?last_change_time=1970-01-01T00:00:00Z&limit=500&offset=0&order=changeddate' +
          '&include_fields=_all&api_key=$KEY',
        { bugs: '$ANY' },
      ),
      read('/rest/bug?last_change_time=2100-01-01T00:00:00Z&limit=500&offset=500&api_key=$KEY', {
        bugs: [],
      }),
    ],
    [
      'fetch of comments, history and attachments',
      read('/rest/bug/$BUG/comment?ids=$OTHER&api_key=$KEY', { bugs: { $BUG: '$ANY' } }),
      read('/rest/bug/$BUG/history?ids=$OTHER&api_key=$KEY', { bugs: [{ id: '$BUG' }, '$ANY'] }),
      read('/rest/bug/$BUG/attachment?ids=$OTHER&exclude_fields=data&api_key=$KEY', {
        bugs: { $BUG: '$ANY' },
      }),
    ],
    ['login', read('/rest/login?login=$LOGIN&password=$PASSWORD', { token: '$ANY' })],
  ],
  'jira-bugzilla-integration': [
    [
      'whoami, bug, comments, webhooks',
      read('/rest/whoami', { id: '$ANY' }, HEADER_KEY),
      read('/rest/bug/$BUG', { bugs: [{ id: '$BUG' }] }, HEADER_KEY),
      read('/rest/bug/$BUG/comment', { bugs: { $BUG: { comments: '$ANY' } } }, HEADER_KEY),
      read('/rest/webhooks/list', { webhooks: '$ANY' }, HEADER_KEY),
    ],
    [
      'see_also of a bug',
      write(
        'PUT',
        '/rest/bug/$BUG',
        { see_also: { add: ['https://jira.example/browse/X-1'] } },
        { bugs: [{ changes: { see_also: { added: '$ANY' } } }] },
        HEADER_KEY,
      ),
    ],
  ],
  'mcp-bugzilla': [
    [
      'info of the server',
      read('/rest/version', { version: '$ANY' }),
      read('/rest/extensions', { extensions: '$ANY' }, BEARER),
      read('/rest/time', { web_time: '$ANY', tz_name: '$ANY' }, BEARER),
      read('/rest/parameters', { parameters: '$ANY' }, BEARER),
    ],
    [
      'quicksearch with order and page',
      read(
        '/rest/bug?quicksearch=ALL&limit=5&offset=0&order=bug_id&include_fields=id&api_key=$KEY',
        {
          bugs: '$ANY',
        },
      ),
    ],
    [
      'comment, comments since a time',
      write('PUT', '/rest/bug/$BUG?api_key=$KEY', { comment: { body: 'By an agent.' } }),
      read('/rest/bug/$BUG/comment?new_since=2000-01-01T00:00:00Z&api_key=$KEY', {
        bugs: { $BUG: '$ANY' },
      }),
    ],
  ],
  'Treeherder, Socorro': [
    [
      'new bug with absent items as null',
      write(
        'POST',
        '/rest/bug',
        {
          ...{ ...NAMED, ...TRIAGED, type: 'defect', summary: 'Intermittent', description: 'x' },
          ...{ keywords: ['crash'], whiteboard: null, regressed_by: null, see_also: null },
          ...{ comment_tags: 'treeherder', groups: null, blocks: null, depends_on: null },
        },
        { id: '$ANY' },
        HEADER_KEY,
      ),
    ],
    [
      'search with 500 IDs at once',
      read(
        `/rest/bug?id=${Array.from({ length: 500 }, (_, n) => n + 1).join(',')}&include_fields=id,status,duplicates,dupe_of`,
        { bugs: '$ANY' },
        HEADER_KEY,
      ),
    ],
  ],
}
