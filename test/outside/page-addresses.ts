import { PAGES } from '../../src/edges/pages/routes.ts'

/** Addresses of nothing, whose pages say so. */
export const NOWHERE = ['/bug/999', '/unsubscribe?token=x']

/** Paths that answer scripts, not people. */
export const FOR_SCRIPTS = ['/suggest/people', '/suggest/duplicates']

const ADMIN_OBJECTS = {
  '/admin/products': ['', '?open=classification.new', '?open=product.new'],
  '/admin/products/:name': [
    '',
    '?open=component.TestComponent',
    '?open=version.unspecified',
    '?open=control.new',
  ],
  '/admin/users': ['', '?match=root&open=user.1'],
  '/admin/groups': ['', '?open=group.1'],
  '/admin/keywords': ['', '?open=keyword.new'],
  '/admin/flag-types': ['', '?open=type.new', '?open=type.1'],
  '/admin/fields': [''],
  '/admin/fields/:name': ['', '?open=value.new'],
  '/admin/workflow': ['', '?open=status.CONFIRMED'],
  '/admin/audit': ['', '?object=User'],
  '/admin/undelivered': [''],
  '/admin/settings': [''],
  '/admin': [''],
}

/** Pages of the documentation with all that occurs in its texts; no route names them. */
export const DOCUMENTATION = [
  '/docs',
  ...['concepts', 'clients', 'operation', 'errors', 'fields', 'bugs'].map(
    (name) => `/docs/${name}`,
  ),
]

/** What is visited of each page: what follows the path, or whole addresses where it has parameters. */
export const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  '/': ['/'],
  '/login': ['/login'],
  '/account/forgotten': ['/account/forgotten'],
  '/account/new': ['/account/new'],
  '/account/password': ['/account/password?token=x', '/account/password?login=x'],
  '/account/email': ['/account/email?token=x'],
  '/account': [
    ...['profile', 'second-factor', 'mail', 'watching', 'searches', 'reminders'],
    ...['keys', 'webhooks', 'sessions', 'permissions'],
  ].map((tab) => `/account?tab=${tab}`),
  '/bug/:id': ['/bug/1', '/bug/1?edit=1', '/bug/999'],
  '/bug/:id/graph': ['/bug/1/graph'],
  '/bug/:id/history': ['/bug/1/history', '/bug/2/history?before=2030-01-01'],
  '/bug/:id/attach': ['/bug/1/attach'],
  '/attachment/:id/details': ['/attachment/1/details', '/attachment/2/details'],
  '/bugs': [
    '/bugs?quicksearch=broke',
    '/bugs?quicksearch=broke&choose=1',
    '/bugs?product=TestProduct&order=priority',
  ],
  '/search': ['/search'],
  '/new': ['/new?product=TestProduct&component=TestComponent', '/new'],
  '/products': ['/products'],
  '/products/:name': ['/products/TestProduct'],
  '/keywords': ['/keywords'],
  '/people/:id{[0-9]+}': ['/people/1'],
  '/requests': ['/requests'],
  '/unsubscribe': ['/unsubscribe?token=x'],
  ...Object.fromEntries(
    Object.entries(ADMIN_OBJECTS).map(([path, queries]) => [
      path,
      queries.map((query) => `${path.replace(':name', nameIn(path))}${query}`),
    ]),
  ),
}

function nameIn(path: string): string {
  return path.startsWith('/admin/fields') ? 'priority' : 'TestProduct'
}

/** Addresses of older trackers, and those at which a browser ends. */
export const OLD_ADDRESSES: Readonly<Record<string, readonly [from: string, to: string]>> = {
  '/createaccount.cgi': ['/createaccount.cgi', '/account/new'],
  '/userprefs.cgi': ['/userprefs.cgi?tab=apikey', '/account?tab=keys'],
  '/describecomponents.cgi': [
    '/describecomponents.cgi?product=TestProduct',
    '/products/TestProduct',
  ],
  '/browse.cgi': ['/browse.cgi', '/products'],
  '/describekeywords.cgi': ['/describekeywords.cgi', '/keywords'],
  '/:id{[0-9]+}': ['/1', '/bug/1'],
  '/show_bug.cgi': ['/show_bug.cgi?id=1#c0', '/bug/1#c0'],
  '/showdependencytree.cgi': ['/showdependencytree.cgi?id=1', '/bug/1/graph'],
  '/showdependencygraph.cgi': ['/showdependencygraph.cgi?id=1', '/bug/1/graph'],
  '/show_activity.cgi': ['/show_activity.cgi?id=1', '/bug/1/history'],
  '/buglist.cgi': ['/buglist.cgi?product=TestProduct', '/bugs?product=TestProduct'],
  '/query.cgi': ['/query.cgi', '/search'],
  '/enter_bug.cgi': ['/enter_bug.cgi?product=TestProduct', '/new?product=TestProduct'],
  '/request.cgi': ['/request.cgi', '/requests'],
}

/** Every path that people read. */
export const READ_PATHS = PAGES.filter(({ method = 'GET' }) => method === 'GET').map(
  ({ path }) => path,
)
