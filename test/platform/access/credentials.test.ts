import { describe, expect, test } from 'vitest'
import {
  type Credential,
  NO_CREDENTIALS,
  strongestCredential,
} from '../../../src/platform/access/credentials.ts'

const KEY = 'k'.repeat(40)

describe('the credential that decides', () => {
  test.each<[string, object, Credential | null]>([
    ['none', {}, null],
    ['a key', { key: KEY }, { kind: 'key', key: KEY }],
    ['a token', { token: '7-secret' }, { kind: 'token', token: '7-secret' }],
    [
      'a login with its password',
      { login: 'l', password: 'p' },
      { kind: 'password', login: 'l', password: 'p' },
    ],
    [
      'an empty login with an empty password',
      { login: '', password: '' },
      { kind: 'password', login: '', password: '' },
    ],
    ['a lone login', { login: 'l' }, null],
    ['a lone password', { password: 'p' }, null],
    [
      'everything: the password',
      { login: 'l', password: 'p', token: '7-t', key: KEY },
      { kind: 'password', login: 'l', password: 'p' },
    ],
    ['a token and a key: the token', { token: '7-t', key: KEY }, { kind: 'token', token: '7-t' }],
    ['a lone login and a key', { login: 'l', key: KEY }, { kind: 'key', key: KEY }],
    [
      'what cannot be a token, and a key',
      { token: 'nonsense', key: KEY },
      { kind: 'key', key: KEY },
    ],
    ['a token without a secret', { token: '7-' }, null],
    ['a token without a number', { token: '-secret' }, null],
  ])('of %s', (_, presented, credential) => {
    expect(strongestCredential({ ...NO_CREDENTIALS, ...presented })).toEqual(credential)
  })
})
