import {
  BEARER,
  HEADER_KEY,
  NAMED,
  type RecordedClients,
  read,
  TRIAGED,
  write,
} from './recorded-request.ts'

/** Tools that people run. */
export const TOOLS: RecordedClients = {
  'Prow, eparis/bugzilla (Go)': [
    [
      'get with _default and a key in header and query',
      read(
        '/rest/bug/$BUG?include_fields=_default&include_fields=flags&api_key=$KEY',
        { bugs: [{ id: '$BUG', flags: [], alias: '$ANY' }] },
        HEADER_KEY,
      ),
      read('/rest/bug/$BUG?include_fields=_default', { bugs: [{ id: '$BUG' }] }, BEARER),
    ],
    [
      'clone: create, then link',
      write(
        'POST',
        '/rest/bug',
        { ...NAMED, ...TRIAGED, summary: 'A clone', description: '+++ clone +++' },
        { id: '$ANY' },
        BEARER,
      ),
      write(
        'PUT',
        '/rest/bug/$OTHER',
        { depends_on: { add: ['$BUG'] }, whiteboard: '[clone]', minor_update: true },
        { bugs: [{ id: '$OTHER' }] },
        BEARER,
      ),
    ],
    [
      'search page by page from limit=0',
      read('/rest/bug?product=TestProduct&limit=0&offset=0', { bugs: '$ANY' }, BEARER),
      read('/rest/bug?product=TestProduct&limit=10000&offset=10000', { bugs: [] }, BEARER),
    ],
  ],
  bzkanban: [
    [
      'preflight of a read from another site',
      {
        ...{ method: 'OPTIONS', path: '/rest.cgi/bug?product=TestProduct' },
        headers: {
          Origin: 'https://board.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'content-type',
        },
      },
    ],
    [
      'login and board under /rest.cgi',
      read('/rest.cgi/login?login=$LOGIN&password=$PASSWORD', { token: '$ANY' }),
      read('/rest.cgi/product?type=enterable&include_fields=name', { products: '$ANY' }),
      read('/rest.cgi/product/TestProduct?type=enterable&include_fields=components.name', {
        products: [{ components: [{ name: '$ANY' }] }],
      }),
      read('/rest.cgi/parameters', { parameters: '$ANY' }),
      read(
        '/rest.cgi/bug?include_fields=summary,status,id,last_updated,assigned_to&product=TestProduct' +
          '&component=&priority=&order=priority,bug_severity,assigned_to',
        { bugs: '$ANY' },
      ),
    ],
    [
      'move of a card with the token in the body',
      write(
        'PUT',
        '/rest.cgi/bug/$BUG',
        { id: '$BUG', priority: 'P2', token: '$TOKEN' },
        {
          bugs: [{ id: '$BUG' }],
        },
      ),
    ],
    [
      'text of a bug',
      read('/rest.cgi/bug/$BUG/comment?include_fields=text,time,creator', {
        bugs: { $BUG: { comments: [{ text: '$ANY', time: '$ANY', creator: '$ANY' }] } },
      }),
    ],
  ],
  'webkitbugspy (git-webkit)': [
    [
      'get with login and password in the query',
      read('/rest/bug/$BUG?login=$LOGIN&password=$PASSWORD', { bugs: [{ id: '$BUG' }] }),
    ],
    [
      'set with login and password in the query',
      write(
        'PUT',
        '/rest/bug/$OTHER?login=$LOGIN&password=$PASSWORD',
        {
          ...{ ids: ['$OTHER'], status: 'RESOLVED', resolution: 'FIXED', ...NAMED },
          ...{ comment: { body: 'Landed.' }, keywords: { set: ['crash'] } },
        },
        { bugs: [{ id: '$OTHER' }] },
      ),
      write(
        'PUT',
        '/rest/bug/$OTHER?login=$LOGIN&password=$PASSWORD',
        { ids: ['$OTHER'], status: 'REOPENED' },
        { bugs: [{ id: '$OTHER' }] },
      ),
    ],
    [
      'a bug that does not exist',
      {
        ...{ method: 'GET', path: '/rest/bug/99999', status: 404 },
        answer: { error: true, code: 101, message: '$ANY' },
      },
    ],
    [
      'products',
      read('/rest/product_enterable?login=$LOGIN&password=$PASSWORD', { ids: '$ANY' }),
      read('/rest/product/TestProduct', {
        products: [
          { is_active: true, components: [{ is_active: true }], versions: [{ name: '$ANY' }] },
        ],
      }),
    ],
  ],
  'DrKonqi (KDE)': [
    [
      'login and a new bug with the token in the query',
      read('/rest/login?login=$LOGIN&password=$PASSWORD&restrict_login=true', { token: '$ANY' }),
      write(
        'POST',
        '/rest/bug?token=$TOKEN',
        { ...NAMED, ...TRIAGED, summary: 'Crash', description: 'Backtrace', keywords: ['crash'] },
        { id: '$ANY' },
      ),
      read('/rest/bug/$BUG/comment', { bugs: { $BUG: '$ANY' } }),
    ],
  ],
  'nattka (Gentoo)': [
    [
      'whoami, search, tag, change',
      read('/rest/whoami?Bugzilla_api_key=$KEY', { id: '$ANY', name: '$ANY', real_name: '$ANY' }),
      read('/rest/bug?Bugzilla_api_key=$KEY&id=$BUG&id=$OTHER&resolution=---', { bugs: '$ANY' }),
      write(
        'PUT',
        '/rest/bug/comment/$COMMENT/tags?Bugzilla_api_key=$KEY',
        { comment_id: '$COMMENT', add: ['nattka'] },
        ['nattka'],
      ),
      write(
        'PUT',
        '/rest/bug/$BUG?Bugzilla_api_key=$KEY',
        { ids: ['$BUG'], flags: [{ name: 'needinfo', status: 'X' }], cc: { remove: ['$LOGIN'] } },
        { bugs: [{ id: '$BUG' }] },
      ),
    ],
  ],
  'bzr (Rust)': [
    [
      'version, whoami by header and by query',
      read('/rest/version', { version: '$ANY' }),
      read('/rest/whoami', { id: 1 }, HEADER_KEY),
      read('/rest/whoami?Bugzilla_api_key=$KEY', { id: 1 }),
      { method: 'GET', path: '/rest/whoami', status: 401, answer: { code: '$ANY' } },
    ],
    [
      'classification, users of a group',
      read('/rest/classification/Unclassified', { classifications: [{ name: 'Unclassified' }] }),
      read('/rest/user?group=admin&match=root', { users: '$ANY' }, HEADER_KEY),
    ],
  ],
  'bugzilla_query (Rust)': [
    [
      'search',
      read(
        '/rest/bug?id=$BUG,$OTHER&include_fields=_default,flags&limit=0',
        {
          bugs: [
            { id: '$BUG', assigned_to_detail: { name: '$ANY' } },
            { id: '$OTHER', limit: '$NONE' },
          ],
        },
        BEARER,
      ),
    ],
  ],
  'bug-mode, bz-mode (Emacs)': [
    [
      'JSON-RPC: login, search, get, comments, update',
      write(
        'POST',
        '/jsonrpc.cgi',
        {
          method: 'User.login',
          id: 11,
          params: [{ login: '$LOGIN', password: '$PASSWORD', remember: true }],
        },
        { error: null, result: { token: '$ANY' } },
      ),
      write(
        'POST',
        '/jsonrpc.cgi',
        {
          method: 'Bug.search',
          id: 11,
          params: [{ token: '$TOKEN', product: 'TestProduct', limit: 3 }],
        },
        { error: null, result: { bugs: '$ANY' } },
      ),
      write(
        'POST',
        '/jsonrpc.cgi',
        {
          method: 'Bug.comments',
          id: 11,
          params: [{ token: '$TOKEN', ids: ['$BUG'] }],
        },
        { error: null, result: { bugs: { $BUG: '$ANY' } } },
      ),
      write(
        'POST',
        '/jsonrpc.cgi',
        {
          method: 'Bug.update',
          id: 11,
          params: [{ token: '$TOKEN', ids: ['$BUG'], priority: 'P3' }],
        },
        { error: null, result: { bugs: [{ id: '$BUG' }] } },
      ),
    ],
  ],
  openQA: [
    [
      'bug by GET of JSON-RPC',
      read('/jsonrpc.cgi?method=Bug.get&params=%5B%7B%22ids%22%3A%5B%22$BUG%22%5D%7D%5D', {
        result: { bugs: [{ id: '$BUG' }] },
      }),
    ],
  ],
}
