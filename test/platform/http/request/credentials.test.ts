import { describe, expect, test } from 'vitest'
import type { PresentedCredentials } from '../../../../src/platform/access/credentials.ts'
import {
  CREDENTIAL_HEADERS,
  findCredentials,
  withoutCredentials,
} from '../../../../src/platform/http/request/credentials.ts'

type RequestParts = {
  headers?: Record<string, string>
  query?: Record<string, string[]>
  body?: Record<string, unknown>
}

function findIn({ headers = {}, query = {}, body = {} }: RequestParts): PresentedCredentials {
  return findCredentials(new Headers(headers), query, body)
}

const cases: [string, RequestParts, Partial<PresentedCredentials>][] = [
  ['nothing', {}, {}],
  [
    'a key in its header',
    { headers: { 'X-TRACKER-API-KEY': 'k' } },
    { key: 'k', keyInHeader: true },
  ],
  [
    'a key in the header with the other prefix',
    { headers: { 'X-BUGZILLA-API-KEY': 'k' } },
    { key: 'k', keyInHeader: true },
  ],
  ['a token in its header', { headers: { 'X-Tracker-Token': '1-t' } }, { token: '1-t' }],
  ['a token in the other header', { headers: { 'X-Bugzilla-Token': '1-t' } }, { token: '1-t' }],
  [
    'a login and a password in headers',
    { headers: { 'X-TRACKER-LOGIN': 'l', 'X-BUGZILLA-PASSWORD': 'p' } },
    { login: 'l', password: 'p' },
  ],
  ['a key in the query', { query: { api_key: ['k'] } }, { key: 'k' }],
  ['a key under its long name', { query: { Tracker_api_key: ['k'] } }, { key: 'k' }],
  ['a key under the other long name', { query: { Bugzilla_api_key: ['k'] } }, { key: 'k' }],
  ['a key in the body', { body: { api_key: 'k' } }, { key: 'k' }],
  ['a key in the body under its long name', { body: { Bugzilla_api_key: 'k' } }, { key: 'k' }],
  ['a token in the query', { query: { token: ['1-t'] } }, { token: '1-t' }],
  ['a token in the body', { body: { Tracker_token: '1-t' } }, { token: '1-t' }],
  [
    'a login and a password in the query',
    { query: { login: ['l'], password: ['p'] } },
    { login: 'l', password: 'p' },
  ],
  [
    'long names in the body',
    { body: { Bugzilla_login: 'l', Bugzilla_password: 'p' } },
    { login: 'l', password: 'p' },
  ],
  ['data named login and password in the body', { body: { login: 'l', password: 'p' } }, {}],
  [
    'an empty login and password in the query, which are wrong ones',
    { query: { login: [''], password: [''] } },
    { login: '', password: '' },
  ],
  [
    'an empty login and password under long names',
    { query: { Tracker_login: [''], Tracker_password: [''] } },
    { login: '', password: '' },
  ],
  [
    'empty headers, which are none',
    {
      headers: {
        'X-TRACKER-API-KEY': '',
        'X-TRACKER-TOKEN': ' ',
        'X-TRACKER-LOGIN': '',
        'X-TRACKER-PASSWORD': '',
      },
    },
    {},
  ],
  ['empty parameters', { query: { api_key: [''], token: [''] }, body: { Tracker_token: ' ' } }, {}],
  ['values that are no texts', { body: { api_key: 5, token: { a: 1 } } }, {}],
  ['a bearer', { headers: { authorization: 'Bearer k' } }, { key: 'k' }],
  ['a bearer in other letters', { headers: { authorization: 'bearer  k ' } }, { key: 'k' }],
  ['another kind of authorization', { headers: { authorization: 'Basic a2V5' } }, {}],
  [
    'a bearer beside a key header, which counts alone',
    { headers: { authorization: 'Bearer b', 'X-TRACKER-API-KEY': 'k' } },
    { key: 'k', keyInHeader: true },
  ],
  [
    'a bearer beside a key parameter, which counts alone',
    { headers: { authorization: 'Bearer b' }, query: { api_key: ['k'] } },
    { key: 'k' },
  ],
  [
    'a bearer beside an empty key header',
    { headers: { authorization: 'Bearer b', 'X-BUGZILLA-API-KEY': '' } },
    { key: 'b' },
  ],
  [
    'a header before a parameter',
    { headers: { 'X-BUGZILLA-TOKEN': '1-h' }, query: { Tracker_token: ['1-q'] } },
    { token: '1-h' },
  ],
  [
    'a long name before a short one',
    { query: { token: ['1-short'] }, body: { Bugzilla_token: '1-long' } },
    { token: '1-long' },
  ],
  [
    'the query before the body',
    { query: { api_key: ['query'] }, body: { api_key: 'body' } },
    { key: 'query' },
  ],
]

describe('findCredentials', () => {
  test.each(cases)('finds the credentials of a request with %s', (_, parts, found) => {
    const nothing = {
      login: undefined,
      password: undefined,
      token: undefined,
      key: undefined,
      keyInHeader: false,
    }
    expect(findIn(parts)).toEqual({ ...nothing, ...found })
  })
})

describe('withoutCredentials', () => {
  const parameters = {
    Tracker_api_key: 1,
    Bugzilla_token: 2,
    token: 3,
    api_key: 4,
    Bugzilla_login: 5,
    Tracker_password: 6,
    Bugzilla_restrictlogin: 7,
    update_token: 8,
    key: 9,
    login: 10,
    password: 11,
  }

  test('keeps all data of a body, including a login and a password', () => {
    expect(withoutCredentials(parameters, 'body')).toEqual({
      Bugzilla_restrictlogin: 7,
      update_token: 8,
      key: 9,
      login: 10,
      password: 11,
    })
  })

  test('keeps all data of a query except a login with its password', () => {
    expect(withoutCredentials(parameters, 'query')).toEqual({
      Bugzilla_restrictlogin: 7,
      update_token: 8,
      key: 9,
    })
    expect(withoutCredentials({ login: 1 }, 'query')).toEqual({ login: 1 })
    expect(withoutCredentials({ password: 1 }, 'query')).toEqual({ password: 1 })
  })
})

test('CORS allows both names of each credential header', () => {
  expect(CREDENTIAL_HEADERS).toEqual([
    'x-tracker-api-key',
    'x-tracker-login',
    'x-tracker-password',
    'x-tracker-token',
    'x-bugzilla-api-key',
    'x-bugzilla-login',
    'x-bugzilla-password',
    'x-bugzilla-token',
  ])
})
