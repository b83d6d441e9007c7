import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import { codeOf } from '../../clients/totp.ts'
import { budget, PASSWORD, type TripBudget } from './budget.ts'

const MAILING = { MAIL_FROM: 'tracker@mail.test', BASE_URL: 'https://tracker.test' }

/** Trip budgets of the server, logins, people and API keys. */
export const PEOPLE_BUDGETS: Record<string, TripBudget> = {
  'GET /version': budget(0, ANYONE, '/version'),
  'GET /extensions': budget(1, 'ann', '/extensions'),
  'GET /timezone': budget(0, 'ann', '/timezone'),
  'GET /time': budget(0, ANYONE, '/time'),
  'GET /parameters': budget(1, 'ann', '/parameters'),
  'GET /parameters of settings': budget(1, 'ann', '/parameters?include_fields=defaultpriority'),
  'GET /parameters, anonymous': budget(0, ANYONE, '/parameters'),
  'GET /configuration': budget(1, 'ann', '/configuration'),
  'GET /configuration, anonymous': budget(1, ANYONE, '/configuration?product={product}'),
  'GET /last_audit_time': budget(1, ANYONE, '/last_audit_time?class=Product&class=Group'),
  'GET /audit': budget(1, 'admin', '/audit?object=Product&who={login}'),
  'GET /export': budget(1, 'admin', '/export'),
  'GET /export/:part': budget(1, 'admin', '/export/keywords?since=2000-01-01'),
  // the bytes of the attachment that is there for discussions
  'GET /export/file/:digest': budget(
    1,
    'admin',
    '/export/file/8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
  ),
  'GET /backup': budget(1, 'admin', '/backup'),
  'GET /backup/:name/:piece{.+}': budget(1, 'admin', '/backup/2030-01-31/bugs.000001.ndjson'),
  'POST /import that goes on': budget(2, 'admin', '/import', () => ({
    begin: true,
    source: 'x',
    archive: '1',
  })),
  'POST /import/:part': budget(3, 'admin', '/import/keywords'),
  'PUT /import/file/:digest': budget(
    2,
    'admin',
    '/import/file/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  ),
  'GET /openapi.json': budget(0, ANYONE, '/openapi.json'),
  'GET /login': budget(2, ANYONE, '/login?{credentials}'),
  'GET /logout': budget(1, ANYONE, '/logout?token={token}'),
  'GET /logout of nothing': budget(0, ANYONE, '/logout'),
  'GET /valid_login': budget(1, 'ann', '/valid_login?login=x'),
  'GET /whoami': budget(1, 'ann', '/whoami'),
  'GET /whoami by password': budget(2, ANYONE, '/whoami?{credentials}'),
  'GET /user': budget(1, 'ann', '/user?names={login}'),
  // the searches that somebody saved are read once a string has found them
  'GET /user by everything': budget(
    2,
    'ann',
    '/user?ids=1&ids=2&names={login}&match={login}&match=*&group_ids=1&permissive=1',
  ),
  'GET /user/suggest': budget(1, 'ann', '/user/suggest?match={login}'),
  'GET /user/:id_or_name': budget(1, 'ann', '/user/{login}'),
  'GET /user/:id_or_name, anonymous': budget(1, ANYONE, '/user/{login}'),
  'POST /user': budget(2, 'editor', '/user', () => ({
    email: `${uniqueName('new')}@example.test`,
    password: PASSWORD,
    full_name: '[:x]',
  })),
  'PUT /user/:id_or_name': budget(2, 'admin', '/user/{spare}', ({ group }) => ({
    email: `${uniqueName('new')}@example.test`,
    password: PASSWORD,
    groups: { add: [group.id] },
    bless_groups: { set: [group.name] },
  })),
  'GET /session': budget(1, 'ann', '/session'),
  'DELETE /session/:id': budget(2, 'ann', '/session/{sessionId}'),
  'DELETE /session': budget(2, 'ann', '/session'),
  'GET /account/totp': budget(1, 'ann', '/account/totp'),
  'PUT /account/totp': budget(2, 'ann', '/account/totp', ({ secret }) => ({
    totp: codeOf(secret),
  })),
  'DELETE /account/totp': budget(3, 'ann', '/account/totp', () => ({ current_password: PASSWORD })),
  'DELETE /account/totp of somebody else': budget(2, 'admin', '/account/totp', ({ ann }) => ({
    user: ann.login,
  })),
  'POST /account/totp': budget(3, 'ann', '/account/totp', () => ({ current_password: PASSWORD })),
  'PUT /user/:id_or_name of oneself, password': budget(3, 'ann', '/user/{login}', () => ({
    password: 'another password',
    current_password: PASSWORD,
  })),
  'POST /account/password by the present one': budget(
    3,
    ANYONE,
    '/account/password',
    ({ ann }) => ({
      ...{ login: ann.login, password: 'another password', new_password: PASSWORD },
    }),
  ),
  'POST /account/password': budget(2, ANYONE, '/account/password', ({ passwordLink }) => ({
    token: passwordLink,
    password: PASSWORD,
  })),
  'POST /account/email': budget(2, ANYONE, '/account/email', ({ emailLink }) => ({
    token: emailLink,
  })),
  'POST /account/password_reset': {
    ...budget(1, ANYONE, '/account/password_reset', ({ ann }) => ({ login: ann.login })),
    settings: MAILING,
  },
  'POST /account': {
    ...budget(1, ANYONE, '/account', () => ({ email: `${uniqueName('new')}@example.test` })),
    settings: { ...MAILING, ALLOW_REGISTRATION: 'on' },
  },
  'GET /api_key': budget(1, 'ann', '/api_key'),
  'GET /api_key of somebody': budget(1, 'editor', '/api_key?user={login}'),
  'POST /api_key': budget(2, 'ann', '/api_key', () => ({ description: 'x' })),
  'POST /api_key for somebody': budget(2, 'editor', '/api_key', ({ ann }) => ({
    description: 'x',
    user: ann.login,
  })),
  'PUT /api_key/:id': budget(2, 'ann', '/api_key/{keyId}', () => ({ description: 'changed' })),
  'POST /api_key/:id/rotate': budget(2, 'ann', '/api_key/{keyId}/rotate'),
  'DELETE /api_key/:id': budget(2, 'ann', '/api_key/{keyId}'),
  'GET /user/:id_or_name/preferences': budget(1, 'ann', '/user/{login}/preferences'),
  'GET /user/:id_or_name/preferences of somebody': budget(1, 'editor', '/user/{login}/preferences'),
  'PUT /user/:id_or_name/preferences': budget(
    2,
    'ann',
    '/user/{login}/preferences',
    ({ bug, place, editor }) => ({
      email: { cc: { comment: false } },
      html_mail: true,
      watching: { add: [editor.login] },
      watching_components: { add: [{ product: place.name }] },
      ignored_bugs: { add: [bug] },
    }),
  ),
}
