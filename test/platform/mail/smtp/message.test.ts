import PostalMime, { decodeWords } from 'postal-mime'
import { describe, expect, test } from 'vitest'
import {
  composeMessage,
  InvalidAddressError,
  type SmtpContent,
} from '../../../../src/platform/mail/smtp/message.ts'

const AT = Date.UTC(2026, 10, 22, 18, 30, 5) / 1000

function content(more: Partial<SmtpContent> = {}): SmtpContent {
  return {
    from: { name: 'The Tracker', email: 'tracker@mail.test' },
    to: 'ann@example.test',
    subject: '[Bug 35] The lamp is dark',
    text: 'It is.\n',
    headers: { 'X-Tracker-Type': 'changed', References: '<bug-35-9@tracker.test>' },
    messageId: '<bug-35-9-notice-4@tracker.test>',
    date: AT,
    ...more,
  }
}

async function composeAndParse(more: Partial<SmtpContent> = {}) {
  const message = await composeMessage(content(more))
  const text = message.bytes.toString('latin1')
  return { message, text, parsed: await PostalMime.parse(message.bytes) }
}

/** What every server accepts: ASCII, lines of at most 998 characters, and no line break but CR LF. */
function expectTransportable(text: string): void {
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  const longest = Math.max(...text.split('\r\n').map(({ length }) => length))
  expect(longest).toBeLessThanOrEqual(998)
}

describe('a message', () => {
  test('has the envelope, the headers and the text of its mail, and its own Message-ID and Date', async () => {
    const { message, parsed, text } = await composeAndParse()
    expect({ from: message.from, to: message.to }).toEqual({
      from: 'tracker@mail.test',
      to: 'ann@example.test',
    })
    expect(parsed).toMatchObject({
      from: { name: 'The Tracker', address: 'tracker@mail.test' },
      to: [{ name: '', address: 'ann@example.test' }],
      subject: '[Bug 35] The lamp is dark',
      messageId: '<bug-35-9-notice-4@tracker.test>',
      references: '<bug-35-9@tracker.test>',
      date: '2026-11-22T18:30:05.000Z',
      text: 'It is.\n',
      attachments: [],
    })
    expect(text).toMatch(/^MIME-Version: 1\.0\r$/m)
    expect(text).toMatch(/^Content-Type: text\/plain; charset=utf-8\r$/m)
    expectTransportable(text)
  })

  test('with HTML is an alternative of both, the plain text first', async () => {
    const { parsed, text } = await composeAndParse({ html: '<p>It is <b>dark</b> – ünd cold.</p>' })
    expect(text).toMatch(/^Content-Type: multipart\/alternative;/m)
    expect(text.indexOf('text/plain')).toBeLessThan(text.indexOf('text/html'))
    expect(parsed.text).toContain('It is.')
    expect(parsed.html).toContain('<p>It is <b>dark</b> – ünd cold.</p>')
    expectTransportable(text)
  })

  test.each([
    ['of other scripts', 'Größe – 値 – 💡 – العربية\n'],
    ['with dots at the beginning of lines', '.\n..\n.hidden\ntext\n.\n'],
    ['with long lines', `${'word '.repeat(1000)}\n${'x'.repeat(5000)}\n`],
    ['with long lines of other scripts', `${'値'.repeat(3000)}\n`],
    ['with lines that end in blanks', '-- \nsignature \t\n'],
    ['with signs that encodings use', '=3D =\n=?utf-8?q?x?= From here\nFrom there\n'],
    ['with bare carriage returns', 'one\rtwo\r\nthree\n'],
  ])('keeps a text %s', async (_, text) => {
    const { parsed, text: raw } = await composeAndParse({ text })
    const lines = (given: string | undefined) => given?.replace(/\r\n?/g, '\n').trimEnd()
    expect(lines(parsed.text)).toBe(lines(text))
    expectTransportable(raw)
  })

  test.each([
    ['of other scripts', 'Größe – 値 💡 العربية'],
    ['that is long', 'word '.repeat(50).trim()],
    ['that is long, of other scripts', '値段💡'.repeat(80)],
    ['that is one long word', 'x'.repeat(255)],
    ['that looks encoded', '=?utf-8?q?not=20encoded?='],
  ])('keeps a subject %s, in folded lines', async (_, subject) => {
    const { parsed, text } = await composeAndParse({ subject })
    expect(parsed.subject).toBe(subject)
    expectTransportable(text)
    if (!/^\w+$/.test(subject)) {
      const [head = ''] = text.split('\r\n\r\n')
      expect(Math.max(...head.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(80)
    }
  })

  test('keeps long headers of other scripts for mail filters', async () => {
    const keywords = Array.from({ length: 150 }, (_, n) => `schlüssel${n}`).join(', ')
    const { parsed, text } = await composeAndParse({ headers: { 'X-Tracker-Keywords': keywords } })
    const header = parsed.headers.find(({ key }) => key === 'x-tracker-keywords')
    expect(decodeWords(header?.value ?? '')).toBe(keywords)
    expectTransportable(text)
  })
})

describe('a message takes no header, recipient or line from', () => {
  const BREAKS = ['\r\n', '\n', '\r', '\u0000\r\n', '\r\n\r\n', '\u2028']
  const EVIL = 'X-Evil: 1'

  async function headersOf(more: Partial<SmtpContent>) {
    const { parsed, text, message } = await composeAndParse(more)
    expectTransportable(text.replaceAll('\0', ''))
    expect(parsed.headers.map(({ key }) => key)).not.toContain('x-evil')
    expect(parsed.text).not.toContain('X-Evil')
    expect(message.to).toBe('ann@example.test')
    return parsed
  }

  test.each(BREAKS.map((text) => [JSON.stringify(text), text]))(
    'a line break %s in its subject, sender, headers or message ID',
    async (_, lineBreak) => {
      const evil = `x${lineBreak}${EVIL}`
      await headersOf({ subject: evil })
      await headersOf({ from: { name: evil, email: 'tracker@mail.test' } })
      await headersOf({ headers: { 'X-Tracker-Product': evil } })
      await headersOf({ headers: { References: `<a@b>${lineBreak}${EVIL}` } })
      await headersOf({ messageId: `<a@b>${lineBreak}${EVIL}` })
    },
  )

  test.each([
    'ann@example.test\r\nRCPT TO:<eve@example.test>',
    'ann@example.test\nBcc: eve@example.test',
    'ann@example.test, eve@example.test',
    'ann@example.test>, <eve@example.test',
    '<eve@example.test> ann@example.test',
    'ann@example.test> SIZE=1',
    'ann @example.test',
    '',
    'ann',
  ])('the address %j, which is refused', async (to) => {
    await expect(composeMessage(content({ to }))).rejects.toThrow(InvalidAddressError)
  })

  test.each([
    ['ann@bücher.test', 'ann@xn--bcher-kva.test'],
    ["o'hara+bugs@example.test", "o'hara+bugs@example.test"],
    ['jürgen@example.test', 'jürgen@example.test'],
  ])('the address %s, which is one recipient, %s', async (to, recipient) => {
    expect((await composeMessage(content({ to }))).to).toBe(recipient)
  })
})
