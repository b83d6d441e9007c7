import { describe, expect, test } from 'vitest'
import { readSettings } from '../../../src/platform/settings/settings.ts'
import {
  assertNoLogin,
  parseInitialPassword,
  parseLogin,
  parseLoginDeniedText,
  parsePassword,
  parseRealName,
} from '../../../src/tracker/users/values.ts'
import { catchFaultCode } from '../../support/catch-fault-code.ts'

const settings = readSettings({})
const strict = readSettings({ PASSWORD_COMPLEXITY: 'on' })

describe('a login', () => {
  test.each([
    'a@b.c',
    'Jane.Roe+bugs=1@mail-1.example.test',
    '-_-@_._',
    `${'a'.repeat(118)}@host.test`.slice(-127),
  ])('may be %s, kept as it is given', (email) => {
    expect(parseLogin(` ${email}\n`)).toBe(email)
  })

  test.each([
    [undefined, 50],
    ['', 50],
    [' \t', 50],
    ['root@localhost', 501],
    ['nobody', 501],
    ['a@b@c.d', 501],
    ['a b@c.d', 501],
    ['@c.d', 501],
    ['a@c.', 501],
    ['a@b..c', 501],
    ['a@.b.c', 501],
    ['a..b@c.d', 501],
    ['.a@c.d', 501],
    ['a.@c.d', 501],
    ['jürgen@example.test', 501],
    ['a@exämple.test', 501],
    ['a@b.c\nd', 501],
    ['<a@b.c>', 501],
    [`${'a'.repeat(119)}@host.tes`, 501],
  ])('is not %j: %d', (email, code) => {
    expect(catchFaultCode(() => parseLogin(email))).toBe(code)
  })

  test('may have 127 characters and no more', () => {
    const email = `${'a'.repeat(117)}@host.test`
    expect(email).toHaveLength(127)
    expect(parseLogin(email)).toBe(email)
    expect(catchFaultCode(() => parseLogin(`a${email}`))).toBe(501)
  })
})

describe('a password', () => {
  test.each([
    ['23456789', '23456789'],
    ['  with blanks inside \n', 'with blanks inside'],
    ['ääääääöö', 'ääääääöö'],
    [' * ', null],
    ['1234567', 502],
    ['', 502],
    ['   1234567   ', 502],
    ['😀😀😀😀', 502],
    ['12345678', 53],
    [' PassWord1', 53],
    ['ääääääää', 53],
  ])('%j becomes %j', (given, expected) => {
    expect(catchFaultCode(() => parsePassword(given, settings))).toBe(expected)
  })

  test('is none for a new account that is given nothing or a star', () => {
    for (const nothing of [undefined, '', ' \t', '*']) {
      expect(parseInitialPassword(nothing, settings)).toBeNull()
    }
    expect(parseInitialPassword('23456789', settings)).toBe('23456789')
    expect(catchFaultCode(() => parseInitialPassword('1', settings))).toBe(502)
  })

  test('is neither the login nor what stands before its @, in any case', () => {
    for (const password of ['Ann.Lee@example.test', 'ANN.LEE']) {
      expect(
        catchFaultCode(() => assertNoLogin('password', password, 'ann.lee@Example.test')),
      ).toBe(53)
    }
    expect(() => assertNoLogin('password', 'ann.lee1', 'ann.lee@example.test')).not.toThrow()
  })

  test('is as long as the site requires', () => {
    const site = readSettings({ PASSWORD_MIN_LENGTH: '12' })
    expect(catchFaultCode(() => parsePassword('12345678901', site))).toBe(502)
    expect(parsePassword('123456789012', site)).toBe('123456789012')
  })

  test.each([
    ['aaaaaaaa', 305],
    ['aaaaaaaaa', 305],
    ['aaaaAAAA', 305],
    ['aaaaaaaa1', 'aaaaaaaa1'],
    ['aaaAAA11', 'aaaAAA11'],
    ['aa!!11..', 'aa!!11..'],
    ['one two three four', 'one two three four'],
    ['one two one two', 'one two one two'],
    ['eins eins', 'eins eins'],
    ['ab ab ab', 305],
    ['1234567', 502],
    ['*', null],
  ])('where the site requires complex ones, %j becomes %j', (given, expected) => {
    expect(catchFaultCode(() => parsePassword(given, strict))).toBe(expected)
  })
})

describe('texts', () => {
  test('are trimmed, and names are one line', () => {
    expect(parseRealName(' Jane\nRoe ')).toBe('Jane Roe')
    expect(parseLoginDeniedText('\n Gone.\r\nFor good. ')).toBe('Gone.\nFor good.')
  })

  test('have an end: 53', () => {
    expect(parseRealName('ä'.repeat(255))).toHaveLength(255)
    expect(catchFaultCode(() => parseRealName('a'.repeat(256)))).toBe(53)
    expect(parseLoginDeniedText('a'.repeat(4000))).toHaveLength(4000)
    expect(catchFaultCode(() => parseLoginDeniedText('a'.repeat(4001)))).toBe(53)
  })
})
