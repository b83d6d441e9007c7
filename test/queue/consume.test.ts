import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { MOST_ATTEMPTS } from '../../src/db/outbox.ts'
import { queue } from '../../src/queue/consume.ts'
import worker from '../../src/worker.ts'
import { insertBug } from '../support/builders/bugs.ts'
import { insertComment, insertNotice } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { execute, loadRow } from '../support/database/execute.ts'
import { buildMailService } from '../support/fakes/mail-service.ts'
import { wranglerToml } from '../support/sources.ts'

const LIVE = 'lacewing-events'
const DEAD = 'lacewing-events-dead'
const noticeRow = (id: number) => loadRow('notices', sql`id = ${id}`)

function messages(bodies: unknown[], attempts = 1) {
  return bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts, body }))
}

/** Hands a batch to the consumer; `delays` are the seconds that messages are put back for. */
async function consume(name: string, bodies: unknown[], on: Env = env, attempts = 1) {
  const batch = createMessageBatch(name, messages(bodies, attempts))
  const retries = batch.messages.map((message) => vi.spyOn(message, 'retry'))
  const executionContext = createExecutionContext()
  await queue(batch, on, executionContext)
  const result = await getQueueResult(batch, executionContext)
  const delays = retries.flatMap(({ mock }) => mock.calls.map(([options]) => options?.delaySeconds))
  return { ...result, delays }
}

async function waitingNotice(): Promise<number> {
  const author = await insertPerson()
  const about = await insertBug({ reporter: author })
  const id = await insertNotice(about, author)
  await insertComment(about, author, { noticeId: id, body: 'Hello.' })
  return id
}

/** A queue that keeps what it is sent. */
function listening() {
  const sent: MessageSendRequest[] = []
  const EVENTS = {
    send: async (body: unknown) => sent.push({ body }),
    sendBatch: async (messages: MessageSendRequest[]) => sent.push(...messages),
  }
  return { EVENTS, sent }
}

/** A database out of reach, as D1 reports it. */
function withoutDatabase(): Env {
  const DB = {
    withSession: () => ({
      prepare: () => ({ bind: () => ({}) }),
      batch: () => Promise.reject(new Error('D1_ERROR: Network connection lost.')),
      getBookmark: () => null,
    }),
  }
  return { ...env, DB } as unknown as Env
}

beforeEach(async () => {
  // whoever takes a message tells of all that waits, also of what other tests have left
  await execute(sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`)
})

afterEach(() => {
  vi.restoreAllMocks()
})

describe('the queue', () => {
  test('a notice is shown, and its message acknowledged', async () => {
    const id = await waitingNotice()
    const box = buildMailService()

    const result = await consume(LIVE, [{ kind: 'notice', id }], box.env)

    expect(result).toMatchObject({ outcome: 'ok', explicitAcks: ['m0'], retryMessages: [] })
    expect(box.sent).toHaveLength(1)
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })

  test('a repeated message, in one batch or later, is acknowledged and sends nothing', async () => {
    const id = await waitingNotice()
    const box = buildMailService()

    const twice = await consume(
      LIVE,
      [
        { kind: 'notice', id },
        { kind: 'notice', id },
      ],
      box.env,
    )
    const later = await consume(LIVE, [{ kind: 'notice', id }], box.env)

    expect(twice.explicitAcks.sort()).toEqual(['m0', 'm1'])
    expect(later.explicitAcks).toEqual(['m0'])
    expect(box.sent).toHaveLength(1)
  })

  test('a notice that cannot be delivered now is retried when it is due again', async () => {
    const [bad, good] = [await waitingNotice(), await waitingNotice()]
    const box = buildMailService({}, ({ subject }) => {
      if (subject.includes(badBug)) {
        throw new Error('connection lost')
      }
    })
    const badBug = `[Bug ${(await noticeRow(bad))?.bug_id}]`

    const result = await consume(
      LIVE,
      [
        { kind: 'notice', id: bad },
        { kind: 'notice', id: good },
      ],
      box.env,
    )

    expect(result.explicitAcks).toEqual(['m1'])
    expect(result.retryMessages).toEqual([{ msgId: 'm0' }])
    expect(result.delays).toEqual([60])
    expect(await noticeRow(bad)).toMatchObject({ attempts: 1, done_at: null, lease_until: null })
  })

  test('a notice that was given up is not put back', async () => {
    const id = await waitingNotice()
    await execute(sql`UPDATE notices SET attempts = ${MOST_ATTEMPTS - 1} WHERE id = ${id}`)
    const box = buildMailService({}, () => {
      throw new Error('connection lost')
    })

    const result = await consume(LIVE, [{ kind: 'notice', id }], box.env)

    expect(result.explicitAcks).toEqual(['m0'])
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })

  test.each([
    ['of an unknown kind', { kind: 'surprise', id: 1 }],
    ['without an ID', { kind: 'notice' }],
    ['with content', { kind: 'notice', id: 1, text: 'the password is tulip' }],
    ['that is no object', 'tulip'],
    ['that is nothing', null],
  ])('a message %s is logged without its content and acknowledged', async (_, body) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()

    const result = await consume(LIVE, [body])

    expect(result).toMatchObject({ outcome: 'ok', explicitAcks: ['m0'], retryMessages: [] })
    expect(error).toHaveBeenCalledTimes(1)
    expect(String(error.mock.calls[0])).not.toContain('tulip')
  })

  test('when the database is out of reach nothing is thrown, and messages wait longer each time', async () => {
    const body = { kind: 'notice', id: 1 }
    const error = vi.spyOn(console, 'error').mockReturnValue()

    const first = await consume(LIVE, [body, body], withoutDatabase())
    const fourth = await consume(LIVE, [body], withoutDatabase(), 4)

    expect(first.explicitAcks).toEqual([])
    expect(first.retryMessages).toHaveLength(2)
    expect(first.delays).toEqual([60, 60])
    expect(fourth.delays).toEqual([480])
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({ ids: [1] })
  })

  test('a message speaks for all that waits', async () => {
    const [named, other] = [await waitingNotice(), await waitingNotice()]
    const box = buildMailService()

    const result = await consume(LIVE, [{ kind: 'notice', id: named }], box.env)

    expect(result.explicitAcks).toEqual(['m0'])
    expect(box.sent).toHaveLength(2)
    expect((await noticeRow(other))?.done_at).not.toBeNull()
  })

  test('a notice found by the sweep that cannot be delivered now gets a message for when it is due again', async () => {
    const [named, other] = [await waitingNotice(), await waitingNotice()]
    const badBug = `[Bug ${(await noticeRow(other))?.bug_id}]`
    const { EVENTS, sent } = listening()
    const box = buildMailService({ EVENTS }, ({ subject }) => {
      if (subject.includes(badBug)) {
        throw new Error('connection lost')
      }
    })

    const result = await consume(LIVE, [{ kind: 'notice', id: named }], box.env)

    expect(result.explicitAcks).toEqual(['m0'])
    expect(sent).toEqual([{ body: { kind: 'notice', id: other }, delaySeconds: 60 }])
  })

  test('when more waits than is shown at once, another message is sent', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    const named = await insertNotice(about, author, { isMinor: true })
    for (let n = 0; n < 30; n += 1) {
      await insertNotice(about, author, { isMinor: true })
    }
    const { EVENTS, sent } = listening()
    const own = { ...env, EVENTS } as unknown as Env
    const waiting = async () =>
      (await execute(sql`SELECT count(*) AS n FROM notices WHERE done_at IS NULL`))[0]?.n

    await consume(LIVE, [{ kind: 'notice', id: named }], own)
    expect(await waiting()).toBe(6)
    expect(sent).toEqual([{ body: { kind: 'notice', id: named } }])
    await consume(LIVE, [{ kind: 'notice', id: named }], own)
    expect(await waiting()).toBe(0)
    expect(sent).toHaveLength(1)
  })

  test('what waits besides does not wait for what is slow', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    for (let n = 0; n < 30; n += 1) {
      await insertNotice(about, author, { isMinor: true })
    }
    const named = await waitingNotice()
    const { EVENTS, sent } = listening()
    const sentByThen: MessageSendRequest[][] = []
    const box = buildMailService({ EVENTS }, () => sentByThen.push([...sent]))

    await consume(LIVE, [{ kind: 'notice', id: named }], box.env)

    expect(sentByThen).toEqual([[{ body: { kind: 'notice', id: named } }]])
    expect(sent).toHaveLength(1)
  })

  test('a queue that takes no message fails nothing: the sweep finds what waits', async () => {
    const named = await waitingNotice()
    const other = await waitingNotice()
    const EVENTS = { sendBatch: () => Promise.reject(new Error('queue out of reach')) }
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const box = buildMailService({ EVENTS }, () => {
      throw new Error('connection lost')
    })

    const result = await consume(LIVE, [{ kind: 'notice', id: named }], box.env)

    expect(result).toMatchObject({ outcome: 'ok', retryMessages: [{ msgId: 'm0' }] })
    expect(await noticeRow(other)).toMatchObject({ attempts: 1, done_at: null })
    expect(String(error.mock.calls[0])).toContain('later work failed')
  })

  test('a message is put back as often as its notice may be tried', () => {
    const [, retries] =
      /queue = "lacewing-events"\n(?:[^[]*\n)?max_retries = (\d+)/.exec(wranglerToml) ?? []
    expect(Number(retries)).toBeGreaterThanOrEqual(MOST_ATTEMPTS)
  })

  test('the Worker hands its batches to this consumer', () => {
    expect(worker.queue).toBe(queue)
  })
})

describe('the dead-letter queue', () => {
  test('gives up the notices of its messages, and logs which', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const [first, second] = [await waitingNotice(), await waitingNotice()]

    const result = await consume(DEAD, [
      { kind: 'notice', id: first },
      { kind: 'surprise' },
      { kind: 'notice', id: second },
    ])

    expect(result).toMatchObject({ outcome: 'ok', ackAll: true })
    expect((await noticeRow(first))?.done_at).not.toBeNull()
    expect((await noticeRow(second))?.done_at).not.toBeNull()
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({
      notices: [first, second],
      count: 3,
    })
  })

  test('keeps its messages when the database is out of reach', async () => {
    const result = await consume(DEAD, [{ kind: 'notice', id: 1 }], withoutDatabase())
    expect(result).toMatchObject({ outcome: 'ok', ackAll: false, retryBatch: { retry: true } })
  })
})
