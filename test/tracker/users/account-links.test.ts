import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { deliverAccountMails } from '../../../src/tracker/users/links/deliver-mails.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertAccountLink } from '../../support/builders/later-work.ts'
import { insertPerson, insertToken } from '../../support/builders/people.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { get, put } from '../../support/client.ts'
import { openMailingSite } from '../../support/clients/mailing-site.ts'
import { isSignedIn, signInAs } from '../../support/clients/pages.ts'
import { isTokenValid, logIn } from '../../support/clients/users.ts'
import { execute } from '../../support/database/execute.ts'
import { loadAuditEntries } from '../../support/database/structure.ts'
import { buildMailRefusal, buildMailService } from '../../support/fakes/mail-service.ts'

const RESET = '/rest/account/password_reset'
const PASSWORD = '/rest/account/password'
const FRESH = 'a fresh password'

const newAddress = () => `${uniqueName('new')}@example.test`
const uniqueIp = () =>
  `2001:db8:${Math.floor(Math.random() * 65_536).toString(16)}:${Math.floor(Math.random() * 65_536).toString(16)}::1`
/** An answer with its trips and statements, but not with the rows, of which an index of known accounts has one more. */
const costless = ({ cost, ...answer }: { cost: string[] | undefined }) => ({
  ...answer,
  cost: cost?.slice(0, 2),
})
const from = (ip = uniqueIp()) => ({ 'cf-connecting-ip': ip })

describe('POST /account/password_reset', () => {
  test('mails a link that sets a password once, and ends what the old one began', async () => {
    const site = openMailingSite()
    const ann = await insertPerson({ password: 'the old password' })
    const [token, session] = [await insertToken(ann), await signInAs(ann)]
    for (let wrong = 0; wrong < 5; wrong += 1) {
      await logIn(ann.login, 'wrong')
    }
    const asked = await site.post(RESET, { login: ` ${ann.login.toUpperCase()}` }, from())
    expect(asked).toMatchObject({ status: 202, body: {} })
    const [mail] = site.mailsTo(ann.login)
    const link = site.tokenFor(ann.login)
    expect(mail?.text).toContain(`https://tracker.test/account/password?token=${link}`)
    const set = await site.post(PASSWORD, { token: link, password: FRESH })
    expect(set).toMatchObject({ status: 200, body: { id: ann.id } })
    expect((await logIn(ann.login, FRESH)).status).toBe(200)
    expect(await isTokenValid(token)).toBe(false)
    expect(await isSignedIn(session)).toBe(false)
    expect((await get(ann, '/rest/whoami')).status).toBe(200)
    const again = await site.post(PASSWORD, { token: link, password: 'another password' })
    expect(again).toMatchObject({ status: 400, body: { code: 32_000 } })
    expect(await loadAuditEntries('User', ann.id)).toMatchObject([
      { user_id: ann.id, action: 'update', changes: { password: { removed: '', added: '' } } },
    ])
  })

  test('answers and costs the same for a login that nobody has, and mails nobody', async () => {
    const site = openMailingSite()
    const [ann, ip] = [await insertPerson(), uniqueIp()]
    const known = await site.post(RESET, { login: ann.login }, from(ip))
    const unknown = await site.post(RESET, { login: newAddress() }, from(ip))
    expect(costless(unknown)).toEqual(costless(known))
    expect(known.cost?.[0]).toBe('1')
    expect(site.mails).toHaveLength(1)
  })

  test.each([
    ['is disabled', sql`UPDATE users SET login_denied_text = 'Gone.'`],
    ['has mail switched off', sql`UPDATE users SET email_enabled = 0`],
    [
      'is excluded by its address',
      sql`UPDATE users SET login = login || '.invalid', login_fold = login_fold || '.invalid'`,
    ],
  ])('mails nobody whose account %s', async (_, change) => {
    const site = openMailingSite()
    const ann = await insertPerson()
    await execute(sql`${change} WHERE id = ${ann.id}`)
    const [row] = await execute(sql`SELECT login FROM users WHERE id = ${ann.id}`)
    expect((await site.post(RESET, { login: row?.login }, from())).status).toBe(202)
    expect(site.mails).toEqual([])
  })

  test('mails one login three times an hour, and answers an address thirty times', async () => {
    const site = openMailingSite()
    const [ann, ip] = [await insertPerson(), uniqueIp()]
    for (let time = 0; time < 5; time += 1) {
      expect((await site.post(RESET, { login: ann.login }, from())).status).toBe(202)
    }
    expect(site.mails).toHaveLength(3)
    const statuses: number[] = []
    for (let time = 0; time < 31; time += 1) {
      statuses.push((await site.post(RESET, { login: newAddress() }, from(ip))).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 202), 429])
    expect((await site.post(RESET, { login: ann.login }, from(ip))).status).toBe(429)
  })

  test('says so where no mail can be sent', async () => {
    const ann = await insertPerson()
    for (const vars of [{ MAIL_FROM: '' }, { BASE_URL: '' }]) {
      const answer = await openMailingSite(vars).post(RESET, { login: ann.login })
      expect(answer).toMatchObject({ status: 400, body: { code: 32_000 } })
    }
  })
})

describe('the link of a mail', () => {
  async function askFor(site: ReturnType<typeof openMailingSite>) {
    const ann = await insertPerson({ password: 'the old password' })
    await site.post(RESET, { login: ann.login }, from())
    return { ann, token: site.tokenFor(ann.login) }
  }

  test('is stored as a hash alone once it is sent', async () => {
    const site = openMailingSite()
    const { ann, token } = await askFor(site)
    const [row] = await execute(sql`SELECT * FROM account_links WHERE user_id = ${ann.id}`)
    expect(row).toMatchObject({ sealed: null, hash: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(JSON.stringify(row)).not.toContain(token)
  })

  test.each([
    [
      'is an hour old',
      (id: number) =>
        execute(sql`UPDATE account_links SET expires_at = ${NOW - 1} WHERE user_id = ${id}`),
    ],
    [
      'is of an account that was disabled',
      (id: number) => execute(sql`UPDATE users SET login_denied_text = 'Gone.' WHERE id = ${id}`),
    ],
    [
      'is of an account whose password was changed since',
      async (id: number) => {
        const editor = await insertPerson({ roles: ['editusers'] })
        await put(editor, `/rest/user/${id}`, { password: 'set by an editor' })
      },
    ],
  ])('does nothing when it %s', async (_, change) => {
    const site = openMailingSite()
    const { ann, token } = await askFor(site)
    await change(ann.id)
    const answer = await site.post(PASSWORD, { token, password: FRESH })
    expect(answer.body).toMatchObject({ code: 32_000 })
    expect((await logIn(ann.login, FRESH)).body.code).toBe(300)
  })

  test('works for an hour, which the mail says, and that nobody reads replies', async () => {
    const site = openMailingSite()
    const { ann } = await askFor(site)
    const [row] = await execute(
      sql`SELECT expires_at - created_at AS life FROM account_links WHERE user_id = ${ann.id}`,
    )
    expect(row?.life).toBe(3600)
    const [{ text = '' } = {}] = site.mailsTo(ann.login)
    expect(text).toMatch(/works once, until \d{4}-/)
    expect(text).toContain('Replies to this mail are not read.')
  })

  test('sets one password when it is used twice at once', async () => {
    const site = openMailingSite()
    const { ann, token } = await askFor(site)
    const answers = await Promise.all(
      [FRESH, 'another password'].map((password) => site.post(PASSWORD, { token, password })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const logins = [await logIn(ann.login, FRESH), await logIn(ann.login, 'another password')]
    expect(logins.map(({ status }) => status).toSorted()).toEqual([200, 401])
  })

  test('is used up by no password that is refused', async () => {
    const site = openMailingSite()
    const { ann, token } = await askFor(site)
    for (const [password, code] of [
      ['short', 502],
      [ann.login, 53],
      [ann.login.split('@')[0], 53],
      ['Password1', 53],
      ['aaaaaaaaaaaa', 53],
    ]) {
      expect((await site.post(PASSWORD, { token, password })).body.code).toBe(code)
    }
    expect((await site.post(PASSWORD, { token, password: FRESH })).status).toBe(200)
  })

  test('is the same in a mail that is sent again', async () => {
    const ann = await insertPerson()
    const texts: string[] = []
    const MAIL = {
      async send({ text }: { text: string }) {
        texts.push(text)
        throw buildMailRefusal('E_INTERNAL_SERVER_ERROR')
      },
    }
    await openMailingSite({ MAIL }).post(RESET, { login: ann.login }, from())
    const working = buildMailService()
    const [row] = await execute(
      sql`UPDATE account_links SET next_attempt_at = ${NOW} WHERE user_id = ${ann.id} RETURNING id, last_error`,
    )
    expect(row?.last_error).toBe('the mail was not accepted')
    await deliverAccountMails(working.ctx(), { ids: [Number(row?.id)] })
    expect(working.sent.map(({ text }) => text)).toEqual(texts)
  })

  test('is given up when the key that encrypts it has changed', async () => {
    const ann = await insertPerson()
    const id = await insertAccountLink({}, ann, {})
    const other = buildMailService({ SECRETS_KEY: 'x'.repeat(40) })
    await deliverAccountMails(other.ctx(), { ids: [id] })
    expect(other.sent).toEqual([])
    const [row] = await execute(sql`SELECT last_error, done_at FROM account_links WHERE id = ${id}`)
    expect(row?.last_error).toBe('the link was made under another SECRETS_KEY')
    expect(row?.done_at).not.toBeNull()
  })
})

describe('an invitation', () => {
  const invite = async (site: ReturnType<typeof openMailingSite>, body: object) => {
    const editor = await insertPerson({ roles: ['editusers'] })
    return site.post('/rest/user', body, { 'x-tracker-api-key': editor.key })
  }

  test('goes to a new account without a password, and works for a week', async () => {
    const site = openMailingSite()
    const email = newAddress()
    const { status, body } = await invite(site, { email })
    expect(status).toBe(201)
    const [row] = await execute(
      sql`SELECT expires_at - created_at AS life FROM account_links WHERE user_id = ${body.id}`,
    )
    expect(row?.life).toBe(7 * 86_400)
    const token = site.tokenFor(email)
    expect((await site.post(PASSWORD, { token, password: FRESH })).body).toEqual({ id: body.id })
    expect((await logIn(email, FRESH)).status).toBe(200)
  })

  test('is not sent to an account with a password or a star, nor where no mail can be sent', async () => {
    for (const [vars, password] of [
      [{}, FRESH],
      [{}, '*'],
      [{ MAIL_FROM: '' }, undefined],
      [{ BASE_URL: '' }, undefined],
    ] as const) {
      const site = openMailingSite(vars)
      expect((await invite(site, { email: newAddress(), password })).status).toBe(201)
      expect(site.mails).toEqual([])
    }
  })
})

describe('POST /account', () => {
  const OPEN = { ALLOW_REGISTRATION: 'on' }

  test('mails a link that makes the account with its password, its name and its groups', async () => {
    const site = openMailingSite(OPEN)
    const email = newAddress()
    const group = await insertGroup()
    await execute(
      sql`UPDATE access_groups SET user_regexp = ${email.replaceAll('.', '\\.')} WHERE id = ${group.id}`,
    )
    const asked = await site.post('/rest/account', { email, full_name: ' Nina New ' }, from())
    expect(asked).toMatchObject({ status: 202, body: {} })
    expect(await execute(sql`SELECT id FROM users WHERE login = ${email}`)).toEqual([])
    const token = site.tokenFor(email)
    const { status, body } = await site.post(PASSWORD, { token, password: FRESH })
    expect(status).toBe(200)
    const login = await logIn(email, FRESH)
    const who = await get({}, `/rest/user/${email}?token=${login.body.token}`)
    expect(who.body.users[0]).toMatchObject({
      id: body.id,
      real_name: 'Nina New',
      groups: [{ id: group.id }],
    })
    expect((await site.post(PASSWORD, { token, password: FRESH })).body.code).toBe(32_000)
    expect(await loadAuditEntries('User', body.id)).toMatchObject([
      { user_id: null, action: 'create' },
    ])
  })

  test('answers and costs the same for an address that has an account, which gets a link for its password', async () => {
    const site = openMailingSite(OPEN)
    const [ann, ip] = [await insertPerson(), uniqueIp()]
    const known = await site.post('/rest/account', { email: ann.login }, from(ip))
    const unknown = await site.post('/rest/account', { email: newAddress() }, from(ip))
    expect(costless(known)).toEqual(costless(unknown))
    const token = site.tokenFor(ann.login)
    expect((await site.post(PASSWORD, { token, password: FRESH })).body).toEqual({ id: ann.id })
  })

  test('makes one account of two links to one address', async () => {
    const site = openMailingSite(OPEN)
    const email = newAddress()
    const tokens: string[] = []
    for (let time = 0; time < 2; time += 1) {
      await site.post('/rest/account', { email }, from())
      tokens.push(site.tokenFor(email))
    }
    const answers = await Promise.all(
      tokens.map((token) => site.post(PASSWORD, { token, password: FRESH })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(await execute(sql`SELECT count(*) AS n FROM users WHERE login = ${email}`)).toEqual([
      { n: 1 },
    ])
  })

  test('is refused unless the site allows it, and for other domains than it names', async () => {
    const email = newAddress()
    expect((await openMailingSite().post('/rest/account', { email })).body.code).toBe(501)
    const site = openMailingSite({ ...OPEN, REGISTRATION_DOMAINS: 'example.test, Example.ORG' })
    for (const [address, status] of [
      ['a@example.net', 400],
      ['a@sub.example.test', 400],
      ['a@notexample.test', 400],
      [email, 202],
      [`${uniqueName('n')}@EXAMPLE.org`, 202],
    ] as const) {
      expect((await site.post('/rest/account', { email: address }, from())).status).toBe(status)
    }
    expect((await site.post('/rest/account', { email: 'nobody' })).body.code).toBe(501)
    expect((await site.post('/rest/account', {})).body).toMatchObject({ code: 50 })
    const mute = openMailingSite({ ...OPEN, MAIL_FROM: '' })
    expect((await mute.post('/rest/account', { email })).body.code).toBe(32_000)
  })
})

describe('POST /account/password with the present password', () => {
  test('sets a new one for an account that needs one, and ends the demand', async () => {
    const [editor, ann] = [
      await insertPerson({ roles: ['editusers'] }),
      await insertPerson({ password: 'the old password' }),
    ]
    const token = await insertToken(ann)
    await put(editor, `/rest/user/${ann.id}`, { password_change_required: true })
    const site = openMailingSite()
    const body = { login: ann.login, password: 'the old password', new_password: FRESH }
    expect((await logIn(ann.login, body.password)).body.code).toBe(305)
    expect((await site.post(PASSWORD, { ...body, password: 'wrong' })).body.code).toBe(300)
    expect((await site.post(PASSWORD, { ...body, new_password: body.password })).body.code).toBe(53)
    expect((await site.post(PASSWORD, { ...body, new_password: ann.login })).body.code).toBe(53)
    expect((await site.post(PASSWORD, { ...body, new_password: undefined })).body.code).toBe(50)
    expect(await site.post(PASSWORD, body)).toMatchObject({ status: 200, body: { id: ann.id } })
    expect((await logIn(ann.login, FRESH)).status).toBe(200)
    expect(await isTokenValid(token)).toBe(false)
    expect(await loadAuditEntries('User', ann.id)).toContainEqual({
      user_id: ann.id,
      action: 'update',
      changes: {
        password: { removed: '', added: '' },
        password_change_required: { removed: '1', added: '0' },
      },
    })
  })

  test('counts wrong ones towards the lock of the login', async () => {
    const ann = await insertPerson({ password: 'the old password' })
    const site = openMailingSite()
    const body = { login: ann.login, password: 'wrong', new_password: FRESH }
    for (let time = 0; time < 5; time += 1) {
      await site.post(PASSWORD, body)
    }
    expect((await logIn(ann.login, 'the old password')).body.code).toBe(301)
    expect((await site.post(PASSWORD, { ...body, password: 'the old password' })).body.code).toBe(
      301,
    )
  })

  test('needs a token or a login', async () => {
    expect((await openMailingSite().post(PASSWORD, { password: FRESH })).body).toMatchObject({
      code: 50,
    })
  })
})
