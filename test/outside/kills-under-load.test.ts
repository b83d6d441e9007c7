import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { SMTPServer } from 'smtp-server'
import { describe, test } from 'vitest'
import { listDescendants } from '../../scripts/bench/process.ts'
import { computeTimeLimit } from '../support/time-limit.ts'
import {
  findFreePort,
  KEY,
  killAll,
  ROUNDS,
  rounds,
  send,
  serve,
  waitUntil,
  within,
} from './started-process.ts'

const ANN = 'ann@example.test'
const WRITERS = 12
const COMMENTS_OF_BUG = 4
/** One after the other; the command starts a runtime anew that was killed alone. */
const VICTIMS = ['runtime', 'host', 'all', 'runtime', 'host', 'all'] as const
const LIFE_MS = { least: 1000, most: 4000 }
/** Mails and messages may wait for a lease to end. */
const LIMIT_MS = 5 * computeTimeLimit()
/** Longer than any lease of a worker that is no more. */
const PATIENCE_MS = 240_000
const RETRY_MS = 300

type Running = Awaited<ReturnType<typeof serve>>
type Message = { readonly id: string; readonly bug: number; readonly text: string }
type Receiver = { readonly url: string; readonly messages: Message[]; close(): void }
type Filed = { readonly id: number; readonly summary: string; readonly comments: readonly string[] }

/** What was answered, mailed and sent to webhooks stands in the database once, whoever is killed while they write. */
describe.skipIf(ROUNDS === 0).each(rounds)('npm start, round %i', { timeout: LIMIT_MS }, () => {
  test('nothing is lost, doubled or out of order when processes are killed under load', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'lacewing-trial-'))
    const mails = await receiveMails()
    const receivers = [await receiveMessages(), await receiveMessages()]
    try {
      await tryKills(join(folder, 'state'), mails, receivers)
    } finally {
      killAll()
      mails.close()
      for (const receiver of receivers) {
        receiver.close()
      }
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
    }
  })
})

type Mails = { readonly port: number; readonly texts: string[]; close(): void }

async function tryKills(state: string, mails: Mails, receivers: readonly Receiver[]) {
  const port = await findFreePort()
  const variables = {
    ...{ ADMIN_API_KEY: KEY, WEBHOOK_ALLOW_PRIVATE: 'on', MAIL_FROM: 'tracker@mail.test' },
    SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
  }
  let server = await serve(state, port, variables)
  await post(port, 'user', { email: ANN, password: 'a good password' })
  for (const { url } of receivers) {
    await post(port, 'webhooks', { name: url, url, event: 'create,comment' }, url)
  }

  let isOver = false
  const writers = Array.from({ length: WRITERS }, (_, n) => write(port, n, () => isOver))
  const written = Promise.all(writers)
  for (const victim of VICTIMS) {
    await pause(LIFE_MS.least + Math.random() * (LIFE_MS.most - LIFE_MS.least))
    server = await kill(server, victim, () => serve(state, port, variables))
  }
  isOver = true
  const restarted = Date.now()
  const bugs = (await written).flat()

  await assertStored(port, bugs)
  const texts = bugs.flatMap(({ summary, comments }) => [summary, ...comments])
  // the mail about a comment names the bug too
  const subjects = bugs.flatMap(({ summary, comments }) => [`New: ${summary}`, ...comments])
  const hasLeft = () =>
    subjects.every((text) => mails.texts.some((mail) => mail.includes(text))) &&
    receivers.every(({ messages }) => texts.every((text) => messages.some((m) => m.text === text)))
  await waitUntil('every mail and message has left', hasLeft, PATIENCE_MS)
  const seconds = ((Date.now() - restarted) / 1000).toFixed(1)
  server.kill('SIGTERM')
  await within(server.ended)

  const repeated = receivers.map(({ messages }) => assertOrder(messages, bugs, texts))
  const mailed = subjects.map((text) => mails.texts.filter((mail) => mail.includes(text)).length)
  const twice = mailed.filter((times) => times > 1).length
  assert(twice <= VICTIMS.length, `${twice} mails left more than once`)
  process.stderr.write(
    `${VICTIMS.length} kills, ${texts.length} writes: all had left ${seconds} s after the last restart; ` +
      `${twice} mails and ${repeated.join(' and ')} messages left more than once\n`,
  )
}

/** Files bugs and comments on them until it is over; each request is repeated under its key until it has an answer. */
async function write(port: number, writer: number, isOver: () => boolean): Promise<Filed[]> {
  const bugs: Filed[] = []
  for (let n = 0; !isOver(); n += 1) {
    const summary = `bug-${writer}-${n}.`
    const place = { product: 'TestProduct', component: 'TestComponent', version: 'unspecified' }
    await post(port, 'bug', { ...place, summary, description: 'It broke.', cc: [ANN] }, summary)
    const [id] = await findBugs(port, summary)
    assert(id !== undefined, `no bug is called ${summary}`)
    const comments: string[] = []
    for (let at = 0; at < COMMENTS_OF_BUG; at += 1) {
      const comment = `comment-${writer}-${n}-${at}.`
      await post(port, `bug/${id}/comment`, { comment }, comment)
      comments.push(comment)
    }
    bugs.push({ id, summary, comments })
  }
  return bugs
}

async function post(port: number, path: string, body: object, key = path): Promise<void> {
  const headers = { 'x-tracker-api-key': KEY, 'idempotency-key': key }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  await waitUntil(
    `POST ${path} ${key} is answered`,
    async () => {
      const answer = await send(port, path, init).catch(() => null)
      // the service is away, or the answer was lost with it
      const isDone = answer !== null && (answer.status < 300 || isAnswerLost(answer.body))
      if (!isDone) {
        assert(answer === null || answer.status >= 409, JSON.stringify(answer?.body))
        await pause(RETRY_MS)
      }
      return isDone
    },
    PATIENCE_MS,
  )
}

const isAnswerLost = ({ message }: Record<string, unknown>) =>
  String(message).includes('was carried out')

async function findBugs(port: number, summary: string): Promise<number[]> {
  const query = new URLSearchParams({ f1: 'short_desc', o1: 'equals', v1: summary })
  let found: number[] = []
  await waitUntil('a search is answered', async () => {
    const answer = await send(port, `bug?include_fields=id&${query}`).catch(() => null)
    found = ((answer?.body.bugs ?? []) as { id: number }[]).map(({ id }) => id)
    return answer?.status === 200
  })
  return found
}

async function assertStored(port: number, bugs: readonly Filed[]): Promise<void> {
  for (const { id, summary, comments } of bugs) {
    assert.deepEqual(await findBugs(port, summary), [id], `bugs called ${summary}`)
    const { body } = await send(port, `bug/${id}/comment`)
    const [discussion] = Object.values(
      body.bugs as Record<string, { comments: { text: string }[] }>,
    )
    const texts = discussion?.comments.slice(1).map(({ text }) => text)
    assert.deepEqual(texts, comments, `comments of ${summary}`)
  }
}

/** Returns how many left more than once. Those that did have one ID, and the first ones are in the order of the writes. */
function assertOrder(
  messages: readonly Message[],
  bugs: readonly Filed[],
  texts: readonly string[],
): number {
  const first = [...new Map(messages.toReversed().map((message) => [message.id, message]))]
    .map(([, message]) => message)
    .toReversed()
  assert.equal(first.length, texts.length, 'messages with different IDs')
  for (const { id, summary, comments } of bugs) {
    const told = first.filter(({ bug }) => bug === id).map(({ text }) => text)
    assert.deepEqual(told, [summary, ...comments], `messages about ${summary}`)
  }
  const times = new Map<string, number>()
  for (const { id } of messages) {
    times.set(id, (times.get(id) ?? 0) + 1)
  }
  return [...times.values()].filter((n) => n > 1).length
}

/** Kills the victim, and starts the server again where that does not come back by itself. */
async function kill(
  server: Running,
  victim: (typeof VICTIMS)[number],
  restart: () => Promise<Running>,
): Promise<Running> {
  const below = listDescendants(server.pid)
  const pidsOf = (word: string) =>
    below.filter(({ command }) => command.includes(word)).map(({ pid }) => pid)
  const pids = {
    runtime: pidsOf('workerd'),
    host: pidsOf('host.ts'),
    all: [server.pid, ...below.map(({ pid }) => pid)],
  }
  assert(pids[victim].length > 0, `no process is ${victim}`)
  for (const pid of pids[victim]) {
    process.kill(pid, 'SIGKILL')
  }
  if (victim === 'runtime') {
    return server
  }
  await within(server.ended)
  return restart()
}

async function receiveMails(): Promise<Mails> {
  const texts: string[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData(stream, session, done) {
      text(stream).then((mail) => {
        if (session.envelope.rcptTo.some(({ address }) => address === ANN)) {
          texts.push(mail)
        }
        done()
      }, done)
    },
  })
  server.on('error', () => {})
  const port = await listenOn(server.server as unknown as Server)
  return { port, texts, close: () => server.close() }
}

async function receiveMessages(): Promise<Receiver> {
  const messages: Message[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    // its sender was killed
    if (body === null) {
      return
    }
    const { bug } = JSON.parse(body)
    messages.push({
      id: String(request.headers['webhook-id']),
      bug: bug.id,
      text: bug.comment?.body ?? bug.summary,
    })
    response.writeHead(204).end()
  })
  const url = `http://127.0.0.1:${await listenOn(server)}/`
  return { url, messages, close: () => server.close() }
}

function listenOn(server: Server): Promise<number> {
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)),
  )
}
