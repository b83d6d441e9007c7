import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller, SYSTEM } from '../../../src/platform/access/caller.ts'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import { PeoplePresenter, presentNick } from '../../../src/tracker/users/people.ts'
import { buildCaller } from '../../support/builders/callers.ts'

const ANN = { id: 7, login: 'ann@example.test', realName: 'Ann', nick: null }

const SOMEBODY = buildCaller({ id: 8, login: 'bob@example.test' })

describe('a person is shown', () => {
  test.each<[string, Caller, string, string]>([
    ['anonymous callers', ANONYMOUS, 'off', 'ann@example.test'],
    ['anonymous callers', ANONYMOUS, 'on', 'ann'],
    ['people', SOMEBODY, 'on', 'ann@example.test'],
    ['the service itself', SYSTEM, 'on', 'ann@example.test'],
  ])('to %s (%j) with domains hidden %s as %s', (_, caller, hidden, name) => {
    const people = new PeoplePresenter(caller, readSettings({ ...env, HIDE_EMAIL_DOMAINS: hidden }))
    expect(people.presentLogin(ANN.login)).toBe(name)
    expect(people.presentDetail(ANN)).toEqual({
      id: 7,
      real_name: 'Ann',
      nick: 'ann',
      name,
      email: name,
    })
  })
})

describe('a list of people is shown', () => {
  const list = 'review?(ann@example.test), eve@sub.example.test, review@2+(x)'

  test('in full to people', () => {
    const people = new PeoplePresenter(SOMEBODY, readSettings({ ...env, HIDE_EMAIL_DOMAINS: 'on' }))
    expect(people.presentLogins(list)).toBe(list)
  })

  test('without domains to anonymous callers where those are hidden', () => {
    const people = new PeoplePresenter(
      ANONYMOUS,
      readSettings({ ...env, HIDE_EMAIL_DOMAINS: 'on' }),
    )
    expect(people.presentLogins(list)).toBe('review?(ann), eve, review@2+(x)')
  })
})

test.each([
  ['ann@example.test', 'annie', 'annie'],
  ['ann@example.test', null, 'ann'],
  ['ann', null, 'ann'],
])('the nick of %s who chose %j is %s', (login, nick, expected) => {
  expect(presentNick({ login, nick })).toBe(expected)
})
