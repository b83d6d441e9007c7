import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import type { Ctx } from '../../../src/platform/context.ts'
import { type Mail, sendMails } from '../../../src/platform/mail/send.ts'
import { buildMailRefusal, buildMailService } from '../../support/fakes/mail-service.ts'

const PERMANENT_ERRORS = [
  'E_VALIDATION_ERROR',
  'E_RECIPIENT_NOT_ALLOWED',
  'E_RECIPIENT_SUPPRESSED',
  'E_CONTENT_TOO_LARGE',
  'E_HEADER_VALUE_INVALID',
]
const TEMPORARY_ERRORS = [
  'E_RATE_LIMIT_EXCEEDED',
  'E_DAILY_LIMIT_EXCEEDED',
  'E_DELIVERY_FAILED',
  'E_INTERNAL_SERVER_ERROR',
  'E_SENDER_NOT_VERIFIED',
  'E_SENDER_DOMAIN_NOT_AVAILABLE',
  'E_NEVER_HEARD_OF',
]

function mail(to: string): Mail {
  return { to, subject: 'Hello', text: 'Hello.\n', headers: { 'X-Tracker-ID': '1' } }
}

/** Sends mails whose acceptance needs no record. */
const send = (ctx: Ctx, mails: readonly Mail[]) => sendMails(ctx, mails, async () => {})

describe('sendMails', () => {
  test.each([
    ['tracker@mail.test', 'tracker@mail.test'],
    ['Tracker <tracker@mail.test>', { name: 'Tracker', email: 'tracker@mail.test' }],
    ['"The Tracker" <tracker@mail.test>', { name: 'The Tracker', email: 'tracker@mail.test' }],
  ])('sends with the sender %s', async (MAIL_FROM, from) => {
    const box = buildMailService({ MAIL_FROM })
    await send(box.ctx(), [mail('a@example.test')])
    expect(box.sent).toEqual([{ from, ...mail('a@example.test') }])
  })

  test('sends every mail once and at most four at a time', async () => {
    const addresses = Array.from({ length: 25 }, (_, i) => `person${i}@example.test`)
    let connections = 0
    let maxConnections = 0
    const box = buildMailService()
    const slow = {
      async send(each: Mail) {
        connections += 1
        maxConnections = Math.max(maxConnections, connections)
        await new Promise((wake) => setTimeout(wake, 1))
        connections -= 1
        return box.env.MAIL.send(each as never)
      },
    }
    await send({ ...box.ctx(), env: { ...box.env, MAIL: slow as never } }, addresses.map(mail))
    expect(box.sent.map(({ to }) => to).sort()).toEqual([...addresses].sort())
    expect(maxConnections).toBe(4)
  })

  test('sends the mails to one address in their order, however long each takes', async () => {
    const box = buildMailService()
    const arrived: string[] = []
    let delay = 50
    const slower = {
      async send({ to, subject }: Mail) {
        delay /= 2
        await new Promise((wake) => setTimeout(wake, delay))
        arrived.push(`${to} ${subject}`)
      },
    }
    const mails = ['a', 'b', 'c'].flatMap((subject) => [
      { ...mail('ann@example.test'), subject },
      { ...mail('bob@example.test'), subject },
    ])
    await send({ ...box.ctx(), env: { ...box.env, MAIL: slower as never } }, mails)
    for (const to of ['ann@example.test', 'bob@example.test']) {
      const own = arrived.filter((each) => each.startsWith(to))
      expect(own).toEqual(['a', 'b', 'c'].map((subject) => `${to} ${subject}`))
    }
  })

  test('leaves mails for a retry while the mail server of SMTP_URL does not answer', async () => {
    const box = buildMailService({ SMTP_URL: 'smtp://127.0.0.1:1' })
    const mails = [mail('a@example.test'), mail('b@example.test')]
    expect([...(await send(box.ctx(), mails)).values()]).toEqual(['unsent', 'unsent'])
    expect(box.sent).toEqual([])
  })

  test('sends HTML beside the text when a mail has it', async () => {
    const box = buildMailService()
    const html = '<p>Hello.</p>'
    await send(box.ctx(), [{ ...mail('a@example.test'), html }])
    expect(box.sent).toMatchObject([{ text: 'Hello.\n', html }])
  })

  test('sends mails in a form that the mail service of the runtime accepts', async () => {
    const box = buildMailService({ MAIL: env.MAIL })
    const mails = [
      mail('a@example.test'),
      { ...mail('b@example.test'), html: '<p>Hello.</p>', messageId: '<x@y.test>', date: 1 },
    ]
    expect([...(await send(box.ctx(), mails)).values()]).toEqual(['accepted', 'accepted'])
  })

  test('sends HTML beside the text', async () => {
    const box = buildMailService()
    await send(box.ctx(), [{ ...mail('a@example.test'), html: '<p>Hello.</p>' }])
    expect(box.sent).toMatchObject([{ text: expect.any(String), html: '<p>Hello.</p>' }])
  })

  test('sends nothing without a sender and logs that once, at debug level', async () => {
    const debug = vi.spyOn(console, 'debug').mockReturnValue()
    const box = buildMailService({ MAIL_FROM: '' })
    const outcomes = await send(box.ctx(), [mail('a@example.test')])
    await send(box.ctx(), [mail('b@example.test')])
    expect([...outcomes.values()]).toEqual(['accepted'])
    expect(box.sent).toEqual([])
    expect(debug).toHaveBeenCalledTimes(1)
  })
})

describe('sendMails, when the mail service rejects a mail', () => {
  test.each(PERMANENT_ERRORS)(
    'takes the mail for refused for good after %s and sends the others',
    async (code) => {
      const box = buildMailService({}, ({ to }) => {
        if (to.startsWith('bad')) {
          throw buildMailRefusal(code)
        }
      })
      const mails = [mail('bad@example.test'), mail('good@example.test')]
      const outcomes = await send(box.ctx(), mails)
      expect(mails.map((one) => outcomes.get(one))).toEqual(['refused', 'accepted'])
      expect(box.sent.map(({ to }) => to)).toEqual(['good@example.test'])
    },
  )

  test.each(TEMPORARY_ERRORS)(
    'leaves the mail for a retry after %s and sends the others',
    async (code) => {
      const box = buildMailService({}, ({ to }) => {
        if (to.startsWith('bad')) {
          throw buildMailRefusal(code)
        }
      })
      const mails = [mail('bad@example.test'), mail('good@example.test')]
      const outcomes = await send(box.ctx(), mails)
      expect(mails.map((one) => outcomes.get(one))).toEqual(['unsent', 'accepted'])
      expect(box.sent.map(({ to }) => to)).toEqual(['good@example.test'])
    },
  )

  test('leaves the mail for a retry after an error without a code', async () => {
    const box = buildMailService({}, () => {
      throw new Error('connection lost')
    })
    const outcomes = await send(box.ctx(), [mail('a@example.test')])
    expect([...outcomes.values()]).toEqual(['unsent'])
  })

  test('logs the code and no address', async () => {
    const lines: string[] = []
    vi.spyOn(console, 'warn').mockImplementation((line) => void lines.push(line))
    vi.spyOn(console, 'error').mockImplementation((line) => void lines.push(line))
    const codes = ['E_RATE_LIMIT_EXCEEDED', 'E_RECIPIENT_SUPPRESSED']
    const box = buildMailService({}, () => {
      throw buildMailRefusal(codes.shift() ?? '')
    })
    await send(box.ctx(), [mail('a@example.test'), mail('b@example.test')])
    expect(lines.join()).toMatch(/E_RATE_LIMIT_EXCEEDED.*E_RECIPIENT_SUPPRESSED/)
    expect(lines.join()).not.toContain('@')
  })
})
