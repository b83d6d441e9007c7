import { describe, expect, test } from 'vitest'
import {
  publicSettingNames,
  readSettings,
  settingNames,
} from '../../../src/platform/settings/settings.ts'
import { wranglerToml } from '../../support/sources.ts'

/** The lines of the table [vars]. */
function varLines(): string[] {
  const [, table = ''] = wranglerToml.split(/^\[vars\]$/m)
  return table.split(/^\[/m)[0]?.trim().split('\n') ?? []
}

function vars(): Record<string, string> {
  const pairs = varLines().flatMap((line) => {
    const [, name, value] = /^(\w+) = "(.*)"$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value ?? '']]
  })
  return Object.fromEntries(pairs)
}

describe('wrangler.toml', () => {
  test('has every setting that is no secret and no other', () => {
    expect(Object.keys(vars())).toEqual(publicSettingNames())
    expect(settingNames()).toEqual([...publicSettingNames(), 'SMTP_URL'])
  })

  test('gives each its default', () => {
    expect(readSettings(vars())).toEqual(readSettings({}))
  })

  test('has a binding for each limit of rates, with the same number', () => {
    const limits = [
      ...wranglerToml.matchAll(
        /^name = "(\w+)"\nnamespace_id = .*\nsimple = \{ limit = (\d+), period = 60 \}$/gm,
      ),
    ]
      .map(([, name, limit]) => [`${name}_PER_MINUTE`, limit])
      .filter(([name]) => name !== 'GUESSES_PER_MINUTE')
    const settings = Object.entries(vars()).filter(([name]) => name.endsWith('_PER_MINUTE'))
    expect(limits).toEqual(settings)
    expect(limits).toHaveLength(4)
  })

  test('describes each of them', () => {
    const lines = varLines()
    expect(lines).toHaveLength(2 * publicSettingNames().length)
    for (const [place, line] of lines.entries()) {
      expect(line).toMatch(place % 2 === 0 ? /^# [A-Z].+\.$/ : /^[A-Z_]+ = ".*"$/)
    }
  })
})

describe('the defaults', () => {
  test('are generous to honest clients and strict to guesses of passwords', () => {
    expect(readSettings({})).toEqual(
      expect.objectContaining({
        SERVER_TIMING: false,
        REQUIRE_LOGIN: false,
        HIDE_EMAIL_DOMAINS: false,
        MAX_BODY_KB: 1024,
        SEARCH_LIMIT: 10_000,
        TOKEN_IDLE_DAYS: 7,
        LOGIN_ATTEMPTS: 5,
        LOGIN_LOCK_MINUTES: 30,
        THROTTLE_GUESSES: true,
        DEFAULT_BUG_TYPE: 'defect',
        BASE_URL: '',
      }),
    )
  })
})

describe('a legal value', () => {
  test.each<[string, unknown, unknown]>([
    ['SERVER_TIMING', 'on', true],
    ['SERVER_TIMING', 'ON', true],
    ['SERVER_TIMING', 'true', true],
    ['SERVER_TIMING', '1', true],
    ['SERVER_TIMING', true, true],
    ['THROTTLE_GUESSES', 'off', false],
    ['THROTTLE_GUESSES', 'False', false],
    ['THROTTLE_GUESSES', '0', false],
    ['MAX_BODY_KB', '1', 1],
    ['MAX_BODY_KB', '100000', 100_000],
    ['MAX_BODY_KB', 2048, 2048],
    ['DEFAULT_PRIORITY', 'P1', 'P1'],
    ['MAIL_FROM', '', ''],
    ['MAIL_FROM', 'bugs@localhost', 'bugs@localhost'],
    ['MAIL_FROM', '<bugs@example.org>', '<bugs@example.org>'],
    ['MAIL_FROM', '"Bugs, all" <bugs@example.org>', '"Bugs, all" <bugs@example.org>'],
    ['SECURITY_CONTACT', 'mailto:a@b.test?subject=bugs', 'mailto:a@b.test?subject=bugs'],
    ['SMTP_URL', '', null],
    [
      'SMTP_URL',
      'smtps://mail.test',
      { host: 'mail.test', port: 465, isImplicitTls: true, credentials: null },
    ],
    ['BASE_URL', 'https://bugs.example.com', 'https://bugs.example.com'],
    ['BASE_URL', 'http://localhost:8787/bugs', 'http://localhost:8787/bugs'],
  ])('of %s: %j is read as %j', (name, value, expected) => {
    expect(readSettings({ [name]: value })).toMatchObject({ [name]: expected })
  })

  test('is not disturbed by bindings of other names', () => {
    expect(readSettings({ DB: {}, SECRETS_KEY: 'x', LOGIN_ATTEMPTS: '7' })).toMatchObject({
      LOGIN_ATTEMPTS: 7,
    })
  })
})

describe('an illegal value', () => {
  test.each<[string, unknown, string]>([
    ['SERVER_TIMING', 'yes', 'Setting SERVER_TIMING: must be on or off'],
    ['SERVER_TIMING', '', 'Setting SERVER_TIMING: must be on or off'],
    ['MAX_BODY_KB', '0', 'Setting MAX_BODY_KB: must be a whole number from 1 to 100000'],
    ['MAX_BODY_KB', '100001', 'from 1 to 100000'],
    ['MAX_BODY_KB', '1.5', 'whole number'],
    ['MAX_BODY_KB', '-1', 'whole number'],
    ['MAX_BODY_KB', '', 'whole number'],
    ['MAX_BODY_KB', 'many', 'whole number'],
    ['DEFAULT_BUG_TYPE', '', 'Setting DEFAULT_BUG_TYPE: must not be empty'],
    ['BASE_URL', 'bugs.example.com', 'Setting BASE_URL: must be an http(s) address'],
    ['BASE_URL', 'https://bugs.example.com/', 'without a slash at the end'],
    ['BASE_URL', 'https://bugs.example.com?x', 'Setting BASE_URL'],
    ['BASE_URL', 'https://', 'Setting BASE_URL'],
    ['SMTP_URL', 'mail.example.com', 'Setting SMTP_URL: must be smtp://user:password@host:port'],
    ['CLIENT_ADDRESS_HEADER', 'X Real IP', 'must be the name of a header'],
    ['SECURITY_CONTACT', 'security@example.test', 'must be an https:, mailto: or tel: address'],
    [
      'SECURITY_CONTACT',
      'mailto:a@b.test\nPolicy: x',
      'must be an https:, mailto: or tel: address',
    ],
    ['SECURITY_CONTACT', 'mailto:security', 'must be an https:, mailto: or tel: address'],
    ['READS_PER_MINUTE', '-1', 'must be a whole number from 0 to 100000000'],
    ['PUBLIC_CACHE_SECONDS', '86401', 'must be a whole number from 0 to 86400'],
  ])('of %s stops with a message that names it: %j', (name, value, message) => {
    expect(() => readSettings({ [name]: value })).toThrow(message)
  })
})

test.each([
  ...['bugs', 'bugs@', '@example.org', 'bugs@@example.org', 'bugs@example..org'],
  ...['a@example.org,b@example.org', 'Bugs bugs@example.org', 'Bugs <bugs@example.org'],
  ...['Bugs <bugs>', 'Bugs\n<bugs@example.org>', 'Bugs <bugs@example.org>\nBcc: x@y.test'],
])('the sender of mails is one address, perhaps behind a name, unlike %j', (MAIL_FROM) => {
  expect(() => readSettings({ MAIL_FROM })).toThrow(
    'Setting MAIL_FROM: must be an e-mail address, or Name <address>',
  )
})

test('an illegal address of a mail server is not repeated, because it may hold a password', () => {
  expect(() => readSettings({ SMTP_URL: 'smtp://me:tulip@mail.test/x' })).toThrow(
    expect.objectContaining({ message: expect.not.stringContaining('tulip') }),
  )
})

test('settings are read once per environment', () => {
  const env = { LOGIN_ATTEMPTS: '3' }
  expect(readSettings(env)).toBe(readSettings(env))
  expect(readSettings({ ...env })).not.toBe(readSettings(env))
})
