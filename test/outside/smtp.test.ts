import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  type MailServer,
  type MailServerRules,
  type ReceivedMail,
  startMailServer,
} from './mail-server.ts'
import {
  createCertificate,
  fileBug,
  LOGINS,
  startTracker,
  type Tracker,
  waitFor,
  waitForAttempt,
  waitForMails,
} from './mailing-tracker.ts'

const folder = mkdtempSync(join(tmpdir(), 'lacewing-smtp-'))
const certificate = createCertificate(folder)
if (certificate !== null) {
  // the runtime that the tracker runs on reads it when it starts
  process.env.NODE_EXTRA_CA_CERTS = join(folder, 'cert.pem')
}

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const recipients = (mails: readonly ReceivedMail[]) => mails.flatMap(({ to }) => to).sort()

function expectTransportable(raw: Buffer): void {
  const text = raw.toString('latin1')
  expect(text).toMatch(/^[\t\r\n\x20-\x7e]*$/)
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  expect(Math.max(...text.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(998)
}

describe('a site with a mail server', () => {
  let mails: MailServer
  let tracker: Tracker

  beforeAll(async () => {
    mails = await startMailServer({ disabledCommands: ['STARTTLS'] })
    tracker = await startTracker(join(folder, 'plain'), `smtp://127.0.0.1:${mails.port}`)
  })

  beforeEach(() => {
    mails.received.length = 0
    for (const name of ['refuseRecipient', 'refuseData', 'acceptLogin'] as const) {
      delete mails.rules[name]
    }
  })

  afterAll(async () => {
    await tracker.server.stop()
    await mails.stop()
  })

  test('sends mails about a change over one connection, each to one person', async () => {
    const before = mails.connections()
    await fileBug(tracker)
    await waitForMails(mails, 2)
    expect(mails.received.map(({ to }) => to).sort()).toEqual(LOGINS.map((login) => [login]))
    expect(new Set(mails.received.map(({ connection }) => connection)).size).toBe(1)
    expect(mails.connections() - before).toBe(1)
    expect(mails.received.every(({ from }) => from === 'tracker@mail.test')).toBe(true)
  })

  test('sends what strict parsers read: headers, threads, texts of other scripts', async () => {
    const summary = `${'Größe – 値 💡 '.repeat(12)}end`
    const description = `.\n..hidden\n-- \n${'x'.repeat(3000)}\n${'値'.repeat(500)}`
    const { id } = await fileBug(tracker, { summary, description, cc: LOGINS.slice(0, 1) })
    await waitForMails(mails, 1)
    await tracker.call('PUT', `/bug/${id}`, { comment: { body: 'And — again.' } })
    await waitForMails(mails, 2)
    const [first, second] = await Promise.all(
      mails.received.map(({ raw }) => PostalMime.parse(raw)),
    )
    const root = first?.messageId
    expect(first).toMatchObject({
      from: { name: 'Träcker, the', address: 'tracker@mail.test' },
      to: [{ address: LOGINS[0] }],
      subject: `[Bug ${id}] New: ${summary}`,
      messageId: expect.stringMatching(/^<bug-\d+-\d+@bugs\.example\.test>$/),
      references: root,
    })
    expect(first?.text?.replaceAll('\r\n', '\n')).toContain(description)
    expect(second).toMatchObject({ inReplyTo: root, references: root })
    expect(second?.messageId).toMatch(/^<bug-\d+-\d+-notice-\d+@bugs\.example\.test>$/)
    expect(second?.text).toContain('And — again.')
    expect(Date.parse(second?.date ?? '')).toBeGreaterThan(Date.now() - 120_000)
    const headers = new Map(second?.headers.map(({ key, value }) => [key, value]))
    expect(headers.get('auto-submitted')).toBe('auto-generated')
    expect(headers.get('x-tracker-id')).toBe(String(id))
    expect(headers.get('mime-version')).toBe('1.0')
    for (const { raw } of mails.received) {
      expectTransportable(raw)
    }
  })

  test.each<[string, MailServerRules]>([
    [
      'whose recipient is refused for good',
      { refuseRecipient: (address) => (address === LOGINS[0] ? '550 no such user' : null) },
    ],
    [
      'whose text is refused for good',
      { refuseData: (to) => (to.includes(LOGINS[0] ?? '') ? '554 looks like spam' : null) },
    ],
  ])(
    'lists a mail %s, sends the others, and sends that one again when asked to',
    async (_, rules) => {
      Object.assign(mails.rules, rules)
      const { id: bug } = await fileBug(tracker)
      await waitForMails(mails, 1)
      expect(await waitForAttempt(tracker)).toMatchObject({
        attempts: 1,
        done_at: expect.any(Number),
      })
      await tracker.runCron()
      expect(recipients(mails.received)).toEqual([LOGINS[1]])
      const { undelivered } = await tracker.call('GET', '/undelivered?limit=1')
      expect(undelivered).toMatchObject([
        { kind: 'mail', bug_id: bug, attempts: 1, last_error: 'mails refused for good: 1' },
      ])

      for (const name of Object.keys(rules) as (keyof MailServerRules)[]) {
        delete mails.rules[name]
      }
      const [{ id } = {}] = undelivered as { id?: string }[]
      await tracker.call('POST', `/undelivered/${id}/retry`)
      await waitForMails(mails, 2)
      expect(recipients(mails.received)).toEqual(LOGINS)
      await waitFor(
        async () => !JSON.stringify(await tracker.call('GET', '/undelivered')).includes(`"${id}"`),
        'nothing is listed',
      )
    },
  )

  test('tries a greylisting server again with the same message ID, and delivers once', async () => {
    const refused: string[] = []
    mails.rules.refuseData = (to) => {
      refused.push(...to)
      return to.includes(LOGINS[0] ?? '') ? '451 greylisted, try again' : null
    }
    const { id } = await fileBug(tracker)
    await waitForMails(mails, 1)
    const row = await waitForAttempt(tracker)
    expect(row).toMatchObject({ attempts: 1, done_at: null })
    expect(String(row?.last_error)).not.toContain('@')
    expect(refused.sort()).toEqual(LOGINS)

    delete mails.rules.refuseData
    await tracker.runCron()
    await waitForMails(mails, 2)
    expect(recipients(mails.received)).toEqual(LOGINS)
    const ids = await Promise.all(
      mails.received.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId),
    )
    expect(ids.every((each) => each?.startsWith(`<bug-${id}-`))).toBe(true)
    expect(await waitForAttempt(tracker, 2)).toMatchObject({ done_at: expect.any(Number) })
  })

  test('sends the others although the connection breaks in the middle of one mail', async () => {
    mails.rules.refuseData = (to) => (to.includes(LOGINS[0] ?? '') ? 'drop' : null)
    await fileBug(tracker)
    await waitForMails(mails, 1)
    expect(recipients(mails.received)).toEqual([LOGINS[1]])
    expect(await waitForAttempt(tracker)).toMatchObject({ done_at: null })

    delete mails.rules.refuseData
    await tracker.runCron()
    await waitForMails(mails, 2)
    expect(recipients(mails.received)).toEqual(LOGINS)
  })

  test('keeps mails while the server is away, and sends them when it is back', async () => {
    const { port } = mails
    await mails.stop()
    await fileBug(tracker)
    expect(await waitForAttempt(tracker)).toMatchObject({ done_at: null })
    mails = await startMailServer({ disabledCommands: ['STARTTLS'] }, port)
    await tracker.runCron()
    await waitForMails(mails, 2)
    expect(recipients(mails.received)).toEqual(LOGINS)
  })

  test('sends a reminder from the scheduled handler, once, and says so', async () => {
    const { id: bug } = await fileBug(tracker, { cc: [] })
    await tracker.call('PUT', '/user/admin@example.test', { email_enabled: true })
    const body = { bug_id: bug, reminder_ts: '2001-02-03', note: 'Größe?' }
    const reminder = await tracker.call('POST', '/reminder', body)
    expect(reminder).toMatchObject({ sent: false })
    await tracker.runCron()
    await waitForMails(mails, 1)
    await tracker.runCron()
    await waitFor(
      async () => (await tracker.call('GET', `/reminder/${reminder.id}`)).sent === true,
      'sent',
    )
    expect(recipients(mails.received)).toEqual(['admin@example.test'])
    const [mail] = mails.received
    const parsed = await PostalMime.parse(mail?.raw ?? '')
    expect(parsed.subject).toBe(`Lacewing reminder: [Bug ${bug}] The lamp is dark`)
    expect(parsed.text).toContain('Größe?')
  })
})

const trusted = { key: certificate?.key, cert: certificate?.cert }

describe.skipIf(certificate === null && process.env.CI === undefined)(
  'a site without a login',
  () => {
    test('sends over TLS where a mail server offers it and is trusted, or else in the clear, as local relays need', async () => {
      let mails = await startMailServer(trusted)
      const { port } = mails
      const tracker = await startTracker(join(folder, 'offered'), `smtp://localhost:${port}`)
      try {
        for (const isEncrypted of [true, false]) {
          await fileBug(tracker)
          await waitForMails(mails, 2)
          expect(mails.received.map((mail) => mail.isEncrypted)).toEqual([isEncrypted, isEncrypted])
          expect(recipients(mails.received)).toEqual(LOGINS)
          expect(await waitForAttempt(tracker)).toMatchObject({ attempts: 1, last_error: null })
          // its own certificate, which nobody trusts
          await mails.stop()
          mails = await startMailServer({}, port)
        }
      } finally {
        await tracker.server.stop()
        await mails.stop()
      }
    })
  },
)

describe.skipIf(certificate === null && process.env.CI === undefined)('a login of a site', () => {
  let mails: MailServer
  let tracker: Tracker

  /** Replaces the mail server by another one at the same port. */
  async function replaceServer(options: Parameters<typeof startMailServer>[0]): Promise<void> {
    const { port } = mails
    await mails.stop()
    mails = await startMailServer(options, port)
  }

  afterEach(async () => {
    await tracker.server.stop()
    await mails.stop()
  })

  test.each([
    ['smtp', {}, { ...trusted, disabledCommands: ['STARTTLS'], allowInsecureAuth: true }],
    ['smtps', { secure: true }, { ...trusted, disabledCommands: ['STARTTLS'] }],
  ])('is sent to %s over trusted TLS alone, and mails wait for it', async (scheme, tls, clear) => {
    mails = await startMailServer(clear)
    const login = `me%40example.test:p%C3%A4ss@localhost:${mails.port}`
    tracker = await startTracker(join(folder, scheme), `${scheme}://${login}`)
    await fileBug(tracker)
    expect(await waitForAttempt(tracker)).toMatchObject({ done_at: null })
    expect(mails.passwords).toEqual([])

    // its own certificate, which nobody trusts
    await replaceServer(tls)
    await tracker.runCron()
    expect(await waitForAttempt(tracker, 2)).toMatchObject({ done_at: null })
    expect(mails.passwords).toEqual([])

    await replaceServer({ ...trusted, ...tls, authOptional: false })
    mails.rules.acceptLogin = () => false
    await tracker.runCron()
    expect(await waitForAttempt(tracker, 3)).toMatchObject({ done_at: null })
    expect(mails.passwords).toEqual(['päss'])
    expect(mails.received).toEqual([])

    mails.rules.acceptLogin = (user, password) => user === 'me@example.test' && password === 'päss'
    await tracker.runCron()
    await waitForMails(mails, 2)
    expect(mails.received.every(({ isEncrypted }) => isEncrypted)).toBe(true)
    expect(recipients(mails.received)).toEqual(LOGINS)
  })
})
