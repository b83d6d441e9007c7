import { describe, expect, test } from 'vitest'
import { CommandError } from '../../scripts/command.ts'
import { parseSettings } from '../../scripts/settings-file.ts'

describe('a file of settings', () => {
  test('has lines NAME=value, in quotes or not, beside comments and blank lines', () => {
    const lines = [
      '# settings',
      '',
      '  # and a comment that says: REQUIRE_LOGIN',
      'REQUIRE_LOGIN=on',
      'export MAIL_FROM = bugs@example.org # who sends',
      `SITE_NAME="Kim's bugs" # in quotes`,
      "SMTP_URL='smtps://a:b#c@mail.example.org'",
      'EMPTY=',
    ]
    const settings = {
      ...{ REQUIRE_LOGIN: 'on', MAIL_FROM: 'bugs@example.org', SITE_NAME: "Kim's bugs" },
      ...{ SMTP_URL: 'smtps://a:b#c@mail.example.org', EMPTY: '' },
    }
    expect(parseSettings(lines.join('\n'), 'x.env')).toEqual(settings)
    expect(parseSettings(`${lines.join('\r\n')}\r\n`, 'x.env')).toEqual(settings)
    expect(parseSettings('', 'x.env')).toEqual({})
  })

  test('is refused with two lines of one name, of which one would have no effect', () => {
    const text = 'REQUIRE_LOGIN=on\n# REQUIRE_LOGIN=on\n export REQUIRE_LOGIN = off\n'
    const refusal = new CommandError('x.env: line 3, REQUIRE_LOGIN, is in line 1 already.')
    expect(() => parseSettings(text, 'x.env')).toThrow(refusal)
  })

  test('is refused with a byte order mark, which would hide its first line', () => {
    const refusal = new CommandError(
      'x.env begins with a byte order mark: save it as UTF-8 without one.',
    )
    expect(() => parseSettings('\uFEFFREQUIRE_LOGIN=on\n', 'x.env')).toThrow(refusal)
  })

  test.each([
    ['REQUIRE_LOGIN: secret', ', REQUIRE_LOGIN,'],
    ['REQUIRE_LOGIN secret', ', REQUIRE_LOGIN,'],
    ['REQUIRE_LOGIN', ', REQUIRE_LOGIN,'],
    ['  export REQUIRE_LOGIN', ', REQUIRE_LOGIN,'],
    ['REQUIRE LOGIN=secret', ', REQUIRE,'],
    ['=secret', ''],
    // what reads such files drops it
    ['__proto__=secret', ', __proto__,'],
    // up to the next quote, whatever stands between them would be one value
    ['MAIL_FROM="secret', ', MAIL_FROM,'],
    ['MAIL_FROM="secret"secret', ', MAIL_FROM,'],
  ])('is refused with the line %j, which is named without its value', (line, name) => {
    const text = `SITE_NAME=x\n${line}\nHIDE_EMAIL_DOMAINS=on\nSMTP_URL="y"\n`
    const refusal = new CommandError(`x.env: line 2${name} must be NAME=value.`)
    expect(() => parseSettings(text, 'x.env')).toThrow(refusal)
  })
})
