import { rmSync } from 'node:fs'
import PostalMime from 'postal-mime'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVisitor, expectSuccess } from '../support/clients/visitor.ts'
import { computeTimeLimit } from '../support/time-limit.ts'
import { type MailServer, type ReceivedMail, startMailServer } from './mail-server.ts'
import { waitFor, waitForMails } from './mailing-tracker.ts'
import { letTimePass, type RunningServer, startServer } from './running-server.ts'

const KEY = 'lwAdministratorWhoseTrackerIsKilled00000'
const READERS = ['ann@example.test', 'bob@example.test', 'cat@example.test']
const ROUNDS = 6
const BUGS_OF_A_ROUND = 12

let mails: MailServer
let server: RunningServer
let settings: Record<string, string>

beforeAll(async () => {
  mails = await startMailServer()
  mails.rules.acceptAfterMs = 5
  settings = {
    ADMIN_LOGIN: 'root@tracker.example',
    ADMIN_API_KEY: KEY,
    SECRETS_KEY: 'the secret of a tracker that is killed',
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'tracker@mail.test',
    BASE_URL: 'https://bugs.example.test',
  }
  server = await startServer(settings)
})

afterAll(async () => {
  await server?.kill()
  rmSync(server?.folder, { recursive: true, force: true })
  await mails.stop()
})

/** Mails that came twice although they were not the last that their connection brought before it broke. */
async function findNeedlessCopies(): Promise<string[]> {
  const lastOf = new Map(mails.received.map((mail) => [mail.connection, mail]))
  const named = await Promise.all(
    mails.received.map(async (mail) => ({ mail, name: await nameMail(mail) })),
  )
  return [...Map.groupBy(named, ({ name }) => name)].flatMap(([name, copies]) =>
    copies.slice(0, -1).some(({ mail }) => lastOf.get(mail.connection) !== mail) ? name : [],
  )
}

async function nameMail({ to, raw }: ReceivedMail): Promise<string> {
  const { messageId, subject } = await PostalMime.parse(raw)
  return `${to.join()} ${messageId} ${subject}`
}

test(
  'a tracker that is killed while it sends mails repeats none but the one under way',
  async () => {
    let admin = createVisitor(server.url, KEY)
    for (const email of READERS) {
      await expectSuccess(admin.post('/user', { email, password: 'a good password' }))
    }
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    const bug = { ...place, summary: 'It broke', description: 'At night.', cc: READERS }
    const fileSome = () =>
      Promise.all(
        Array.from({ length: BUGS_OF_A_ROUND }, () => expectSuccess(admin.post('/bug', bug))),
      )
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = mails.received.length
      await fileSome()
      // at another place in the work of each round
      await waitForMails(mails, before + 1 + Math.floor(Math.random() * 30))
      await server.kill()
      letTimePass(server)
      server = await startServer(settings, server.folder)
      admin = createVisitor(server.url, KEY)
    }
    await fileSome()
    const count = (ROUNDS + 1) * BUGS_OF_A_ROUND * READERS.length
    await waitFor(
      async () => new Set(await Promise.all(mails.received.map(nameMail))).size === count,
      'every mail',
    )

    expect(await findNeedlessCopies()).toEqual([])
    expect(mails.received.length - count).toBeLessThanOrEqual(ROUNDS)
  },
  2 * computeTimeLimit(),
)
