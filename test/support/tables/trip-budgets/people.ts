import { uniqueName } from '../../builders/unique.ts'
import { ANYONE } from '../../client.ts'
import { codeOf } from '../../clients/totp.ts'
import { PASSWORD, type TripBudget } from './budget.ts'

const MAILING = { MAIL_FROM: 'tracker@mail.test', BASE_URL: 'https://tracker.test' }

/** Trip budgets of the server, logins, people and API keys. */
export const PEOPLE_BUDGETS: Record<string, TripBudget> = {
  'GET /version': { trips: 0, by: ANYONE, path: '/version' },
  'GET /extensions': { trips: 1, by: 'ann', path: '/extensions' },
  'GET /timezone': { trips: 0, by: 'ann', path: '/timezone' },
  'GET /time': { trips: 0, by: ANYONE, path: '/time' },
  'GET /parameters': { trips: 1, by: 'ann', path: '/parameters' },
  'GET /parameters of settings': {
    trips: 1,
    by: 'ann',
    path: '/parameters?include_fields=defaultpriority',
  },
  'GET /parameters, anonymous': { trips: 0, by: ANYONE, path: '/parameters' },
  'GET /configuration': { trips: 1, by: 'ann', path: '/configuration' },
  'GET /configuration, anonymous': {
    trips: 1,
    by: ANYONE,
    path: '/configuration?product={product}',
  },
  'GET /last_audit_time': {
    trips: 1,
    by: ANYONE,
    path: '/last_audit_time?class=Product&class=Group',
  },
  'GET /audit': { trips: 1, by: 'admin', path: '/audit?object=Product&who={login}' },
  'GET /export': { trips: 1, by: 'admin', path: '/export' },
  'GET /export/:part': { trips: 1, by: 'admin', path: '/export/keywords?since=2000-01-01' },
  // the bytes of the attachment that is there for discussions
  'GET /export/file/:digest': {
    trips: 1,
    by: 'admin',
    path: '/export/file/8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4',
  },
  'GET /backup': { trips: 1, by: 'admin', path: '/backup' },
  'GET /backup/:name/:piece{.+}': {
    trips: 1,
    by: 'admin',
    path: '/backup/2030-01-31/bugs.000001.ndjson',
  },
  'POST /import that goes on': {
    trips: 2,
    by: 'admin',
    path: '/import',
    body: () => ({ begin: true, source: 'x', archive: '1' }),
  },
  'POST /import/:part': { trips: 3, by: 'admin', path: '/import/keywords' },
  'PUT /import/file/:digest': {
    trips: 2,
    by: 'admin',
    path: '/import/file/e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  },
  'GET /openapi.json': { trips: 0, by: ANYONE, path: '/openapi.json' },
  'GET /login': { trips: 2, by: ANYONE, path: '/login?{credentials}' },
  'GET /logout': { trips: 1, by: ANYONE, path: '/logout?token={token}' },
  'GET /logout of nothing': { trips: 0, by: ANYONE, path: '/logout' },
  'GET /valid_login': { trips: 1, by: 'ann', path: '/valid_login?login=x' },
  'GET /whoami': { trips: 1, by: 'ann', path: '/whoami' },
  'GET /whoami by password': { trips: 2, by: ANYONE, path: '/whoami?{credentials}' },
  'GET /user': { trips: 1, by: 'ann', path: '/user?names={login}' },
  'GET /user by everything': {
    trips: 1,
    by: 'ann',
    path: '/user?ids=1&ids=2&names={login}&match={login}&match=*&group_ids=1&permissive=1',
  },
  'GET /user/suggest': { trips: 1, by: 'ann', path: '/user/suggest?match={login}' },
  'GET /user/:id_or_name': { trips: 1, by: 'ann', path: '/user/{login}' },
  'GET /user/:id_or_name, anonymous': { trips: 1, by: ANYONE, path: '/user/{login}' },
  'POST /user': {
    trips: 2,
    by: 'editor',
    path: '/user',
    body: () => ({
      email: `${uniqueName('new')}@example.test`,
      password: PASSWORD,
      full_name: '[:x]',
    }),
  },
  'PUT /user/:id_or_name': {
    trips: 2,
    by: 'admin',
    path: '/user/{spare}',
    body: ({ group }) => ({
      email: `${uniqueName('new')}@example.test`,
      password: PASSWORD,
      groups: { add: [group.id] },
      bless_groups: { set: [group.name] },
    }),
  },
  'GET /session': { trips: 1, by: 'ann', path: '/session' },
  'DELETE /session/:id': { trips: 2, by: 'ann', path: '/session/{sessionId}' },
  'DELETE /session': { trips: 2, by: 'ann', path: '/session' },
  'GET /account/totp': { trips: 1, by: 'ann', path: '/account/totp' },
  'PUT /account/totp': {
    trips: 2,
    by: 'ann',
    path: '/account/totp',
    body: ({ secret }) => ({ totp: codeOf(secret) }),
  },
  'DELETE /account/totp': {
    trips: 3,
    by: 'ann',
    path: '/account/totp',
    body: () => ({ current_password: PASSWORD }),
  },
  'DELETE /account/totp of somebody else': {
    trips: 2,
    by: 'admin',
    path: '/account/totp',
    body: ({ ann }) => ({ user: ann.login }),
  },
  'POST /account/totp': {
    trips: 3,
    by: 'ann',
    path: '/account/totp',
    body: () => ({ current_password: PASSWORD }),
  },
  'PUT /user/:id_or_name of oneself, password': {
    trips: 3,
    by: 'ann',
    path: '/user/{login}',
    body: () => ({ password: 'another password', current_password: PASSWORD }),
  },
  'POST /account/password by the present one': {
    trips: 3,
    by: ANYONE,
    path: '/account/password',
    body: ({ ann }) => ({
      ...{ login: ann.login, password: 'another password', new_password: PASSWORD },
    }),
  },
  'POST /account/password': {
    trips: 2,
    by: ANYONE,
    path: '/account/password',
    body: ({ passwordLink }) => ({ token: passwordLink, password: PASSWORD }),
  },
  'POST /account/email': {
    trips: 2,
    by: ANYONE,
    path: '/account/email',
    body: ({ emailLink }) => ({ token: emailLink }),
  },
  'POST /account/password_reset': {
    trips: 1,
    by: ANYONE,
    path: '/account/password_reset',
    settings: MAILING,
    body: ({ ann }) => ({ login: ann.login }),
  },
  'POST /account': {
    trips: 1,
    by: ANYONE,
    path: '/account',
    settings: { ...MAILING, ALLOW_REGISTRATION: 'on' },
    body: () => ({ email: `${uniqueName('new')}@example.test` }),
  },
  'GET /api_key': { trips: 1, by: 'ann', path: '/api_key' },
  'GET /api_key of somebody': { trips: 1, by: 'editor', path: '/api_key?user={login}' },
  'POST /api_key': { trips: 2, by: 'ann', path: '/api_key', body: () => ({ description: 'x' }) },
  'POST /api_key for somebody': {
    trips: 2,
    by: 'editor',
    path: '/api_key',
    body: ({ ann }) => ({ description: 'x', user: ann.login }),
  },
  'PUT /api_key/:id': {
    trips: 2,
    by: 'ann',
    path: '/api_key/{keyId}',
    body: () => ({ description: 'changed' }),
  },
  'POST /api_key/:id/rotate': { trips: 2, by: 'ann', path: '/api_key/{keyId}/rotate' },
  'DELETE /api_key/:id': { trips: 2, by: 'ann', path: '/api_key/{keyId}' },
  'GET /user/:id_or_name/preferences': { trips: 1, by: 'ann', path: '/user/{login}/preferences' },
  'GET /user/:id_or_name/preferences of somebody': {
    trips: 1,
    by: 'editor',
    path: '/user/{login}/preferences',
  },
  'PUT /user/:id_or_name/preferences': {
    trips: 2,
    by: 'ann',
    path: '/user/{login}/preferences',
    body: ({ bug, place, editor }) => ({
      email: { cc: { comment: false } },
      html_mail: true,
      watching: { add: [editor.login] },
      watching_components: { add: [{ product: place.name }] },
      ignored_bugs: { add: [bug] },
    }),
  },
}
