import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { sign } from '@octokit/webhooks-methods'
import PostalMime from 'postal-mime'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLocalServer } from '../../scripts/local/server.ts'
import { findDatabaseFiles, openStateFolder } from '../../scripts/local/state.ts'
import { buildPush } from '../support/builders/codehost-events.ts'
import { createVisitor, expectSuccess, type Visitor } from '../support/clients/visitor.ts'
import { PATIENCE_MS } from '../support/time-limit.ts'
import { type MailServer, startMailServer } from './mail-server.ts'
import { waitFor, waitForMails } from './mailing-tracker.ts'
import { environment, letTimePass, type RunningServer, startServer } from './running-server.ts'

/** Every kind of later work with real parts, and a tracker that is killed in between. */

const KEY = 'lwAdministratorOfWhatHappensLater0000000'
const ROOT = 'root@tracker.example'
const BOT = 'host@example.test'
const ANN = 'ann@example.test'

const installed = spawnSync('bugzilla', ['--version']).status === 0
if (!installed) {
  process.stderr.write(
    'The command `bugzilla` (Debian: python3-bugzilla, bugzilla-cli) is missing: its test is skipped.\n',
  )
}

type Message = { readonly headers: IncomingHttpHeaders; readonly body: string }

const messages: Message[] = []
let doesAnswer = false
let receiver: Server
let mails: MailServer
let settings: Record<string, string>
let server: RunningServer
let admin: Visitor

beforeAll(async () => {
  receiver = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request.setEncoding('utf8')) {
      body += piece
    }
    messages.push({ headers: request.headers, body })
    if (doesAnswer) {
      response.writeHead(204).end()
    }
  })
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  mails = await startMailServer()
  settings = {
    ADMIN_LOGIN: ROOT,
    ADMIN_API_KEY: KEY,
    SECRETS_KEY: 'the secret of what happens later',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
    MAIL_FROM: 'tracker@mail.test',
    BASE_URL: 'https://bugs.example.test',
  }
  server = await startServer(settings)
  admin = createVisitor(server.url, KEY)
})

afterAll(async () => {
  await server?.kill()
  rmSync(server?.folder, { recursive: true, force: true })
  await mails.stop()
  receiver.closeAllConnections()
  receiver.close()
})

/** Files a bug with the command line client, which has the key in its configuration. */
async function fileBug(summary: string): Promise<number> {
  const folder = join(server.folder, '.config/python-bugzilla')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'bugzillarc'), `[${new URL(server.url).host}/rest]\napi_key=${KEY}\n`)
  const place = ['-p', 'TestProduct', '-c', 'TestComponent', '-v', 'unspecified']
  const { stdout } = await promisify(execFile)(
    'bugzilla',
    [
      ...['--bugzilla', `${server.url}/rest`, 'new', ...place, '--cc', ANN],
      ...['-t', summary, '-l', 'At night.', '-i'],
    ],
    { env: environment({ PATH: process.env.PATH, HOME: server.folder }) },
  )
  return Number(stdout.trim())
}

/** Starts what the command would start, and lets the scheduled handler run, which only this process can reach. */
async function runScheduledHandler(whileItRuns: (url: string) => Promise<void>): Promise<void> {
  const { miniflare, stop, url } = await startLocalServer({
    ...{ port: 0, host: '127.0.0.1', persistTo: join(server.folder, 'state'), minified: true },
    vars: settings,
  })
  const worker = await miniflare.getWorker()
  expect(await worker.scheduled({ cron: '*/5 * * * *' })).toMatchObject({ outcome: 'ok' })
  await whileItRuns(url.origin)
  await stop()
}

/** Announces a push as GitHub does. */
async function push(key: string, ...messages: string[]): Promise<Response> {
  const body = JSON.stringify(buildPush(messages))
  return fetch(`${server.url}/rest/github/push_comment?no-qe-verify=1`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': 'push',
      'x-github-delivery': crypto.randomUUID(),
      'x-hub-signature-256': await sign(key, body),
    },
    body,
  })
}

/** Creates an account for a code host, and returns its key. */
async function createBot(email: string): Promise<string> {
  await expectSuccess(admin.post('/user', { email, password: 'a good password' }))
  const groups = { add: ['codehost-webhook-bot'] }
  await expectSuccess(admin.put(`/user/${email}`, { groups }))
  const body = { description: 'Signs pushes', user: email }
  return (await expectSuccess(admin.post('/api_key', body))).api_key
}

/** How many effects of pushes were claimed by a worker that is no more. */
function countLeasedPushes(): number {
  const counts = findDatabaseFiles(openStateFolder(join(server.folder, 'state'))).map((file) => {
    const database = new DatabaseSync(file)
    const row = database
      .prepare('SELECT count(*) AS n FROM codehost_pushes WHERE done_at IS NULL AND attempts > 0')
      .get()
    database.close()
    return Number(row?.n)
  })
  return counts.reduce((sum, n) => sum + n, 0)
}

const idOf = ({ headers }: Message) => String(headers['webhook-id'])

describe.skipIf(!installed && process.env.CI !== 'true')('what happens later', () => {
  test('reaches everybody although the tracker is killed while it delivers', async () => {
    const bot = await createBot(BOT)
    await expectSuccess(admin.post('/user', { email: ANN, password: 'a good password' }))
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`
    const hook = { name: 'real', url, event: 'create,change,comment' }
    const { id: hookId, secret } = await expectSuccess(admin.post('/webhooks', hook))
    const verify = ({ body, headers }: Message) =>
      new Webhook(secret).verify(body, headers as Record<string, string>)

    // killed while the mail server has a mail but has not yet said so
    mails.rules.refuseData = () => 'hang'
    const id = await fileBug('The lamp is dark')
    await waitForMails(mails, 1)
    await server.kill()
    letTimePass(server)
    delete mails.rules.refuseData
    server = await startServer(settings, server.folder)
    admin = createVisitor(server.url, KEY)

    const answer = await push(bot, `Bug ${id} - New bulb. r=ann`)
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 200,
      body: { bugs: { [id]: [{ text: expect.stringContaining('New bulb.') }] } },
    })
    await waitFor(async () => {
      const { bugs } = await expectSuccess(admin.get(`/bug/${id}`))
      return bugs[0].status === 'RESOLVED' && bugs[0].resolution === 'FIXED'
    }, 'the bug is resolved')
    const { bugs } = await expectSuccess(admin.get(`/bug/${id}/comment`))
    expect(bugs[id].comments[1]).toMatchObject({
      creator: BOT,
      text: expect.stringContaining('New bulb.'),
    })
    const reminder = { bug_id: id, reminder_ts: '2001-02-03', note: 'Is it bright?' }
    await expectSuccess(admin.post('/reminder', reminder))

    // killed while a receiver has a message but has not yet answered
    await waitFor(() => messages.length > 0, 'a message')
    await waitForMails(mails, 4)
    await server.kill()
    letTimePass(server)
    doesAnswer = true
    await runScheduledHandler(async () => {
      await waitFor(() => new Set(messages.map(idOf)).size === 3, 'all messages')
      await waitForMails(mails, 5)
    })

    // work under way when the tracker was killed is done again under its ID, and no other
    const [first, ...later] = messages.map((message) => ({
      id: idOf(message),
      ...(verify(message) as { webhook_id: number; event: { routing_key: string } }),
    }))
    expect(later.filter((one) => one.id === first?.id)).toEqual([
      expect.objectContaining({ webhook_id: hookId, bug: expect.objectContaining({ id }) }),
    ])
    expect(later.map(({ event }) => event.routing_key).sort()).toEqual([
      'bug.create',
      'bug.modify:status,resolution',
      'comment.create',
    ])
    const parsed = await Promise.all(mails.received.map(({ raw }) => PostalMime.parse(raw)))
    const [held, ...others] = parsed.map(({ messageId, subject, text }) => ({
      messageId,
      subject,
      text: text?.replaceAll('\r\n', '\n'),
    }))
    expect(others.filter(({ messageId }) => messageId === held?.messageId)).toHaveLength(1)
    expect(new Set(others.map(({ messageId }) => messageId)).size).toBe(4)
    expect(
      others.map(({ subject }, at) => [mails.received[at + 1]?.to.join(), subject]).sort(),
    ).toEqual([
      [ANN, `[Bug ${id}] New: The lamp is dark`],
      [ANN, `[Bug ${id}] The lamp is dark`],
      [ROOT, `Lacewing reminder: [Bug ${id}] The lamp is dark`],
      [ROOT, `[Bug ${id}] The lamp is dark`],
    ])
    expect(held?.text).toContain('At night.')
    expect(others.filter(({ text }) => text?.includes('New bulb.'))).toHaveLength(2)
    expect(others.filter(({ text }) => text?.includes('Is it bright?'))).toHaveLength(1)
  })
})

describe('a push about many bugs', () => {
  const HOST = 'other-host@example.test'

  test('is applied once to each of them although the tracker is killed while it is', async () => {
    doesAnswer = true
    await server.kill()
    server = await startServer(settings, server.folder)
    admin = createVisitor(server.url, KEY)
    const bot = await createBot(HOST)
    const bug = {
      ...{ product: 'TestProduct', component: 'TestComponent', version: 'unspecified' },
      ...{ summary: 'One of many', description: 'They are dark.' },
    }
    let ids: number[]
    for (;;) {
      const filed = Array.from({ length: 30 }, () => expectSuccess(admin.post('/bug', bug)))
      ids = (await Promise.all(filed)).map(({ id }) => Number(id))
      const answer = await push(bot, ...ids.map((id) => `Bug ${id} - New bulb.`))
      expect(answer.status).toBe(200)
      // killed as soon as a worker has claimed some of them
      for (const deadline = Date.now() + PATIENCE_MS; countLeasedPushes() === 0; ) {
        expect(Date.now()).toBeLessThan(deadline)
        await new Promise((wake) => setImmediate(wake))
      }
      await server.kill()
      if (countLeasedPushes() > 0) {
        break
      }
      // it was done with all of them before it ended
      server = await startServer(settings, server.folder)
      admin = createVisitor(server.url, KEY)
    }
    const countResolved = async (visitor: Visitor) => {
      const path = `/bug?id=${ids.join()}&include_fields=id,resolution`
      const { bugs } = await expectSuccess(visitor.get(path))
      return bugs.filter(({ resolution }: { resolution: string }) => resolution === 'FIXED').length
    }
    letTimePass(server)

    await runScheduledHandler(async (url) => {
      const visitor = createVisitor(url, KEY)
      const isResolved = async () => (await countResolved(visitor)) === ids.length
      await waitFor(isResolved, 'all bugs are resolved')
      for (const id of ids) {
        const { bugs } = await expectSuccess(visitor.get(`/bug/${id}/comment`))
        const texts = bugs[id].comments.slice(1).map(({ text }: { text: string }) => text)
        expect(texts, `bug ${id}`).toEqual([expect.stringContaining('New bulb.')])
      }
    })
  })
})
