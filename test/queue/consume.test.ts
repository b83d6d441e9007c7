import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { OUTBOXES } from '../../src/platform/outbox/outbox.ts'
import { queue } from '../../src/queue.ts'
import worker from '../../src/worker.ts'
import { insertBug } from '../support/builders/bugs.ts'
import { insertReminder } from '../support/builders/later-work.ts'
import { insertComment, insertNotice } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { consume, DEAD, LIVE, recordingQueue } from '../support/consume-messages.ts'
import { execute, loadRow } from '../support/database/execute.ts'
import { buildMailService } from '../support/fakes/mail-service.ts'
import { UNREACHABLE } from '../support/fakes/sessions.ts'
import { wranglerToml } from '../support/sources.ts'

const noticeRow = (id: number) => loadRow('notices', sql`id = ${id}`)

async function createNotice(): Promise<number> {
  const author = await insertPerson()
  const about = await insertBug({ reporter: author })
  const id = await insertNotice(about, author)
  await insertComment(about, author, { noticeId: id, body: 'Hello.' })
  return id
}

const withoutDatabase = { ...env, DB: UNREACHABLE } as unknown as Env

beforeEach(async () => {
  // each message delivers all of its kind that is due, what other tests left too
  await execute(
    sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`,
    sql`UPDATE reminders SET done_at = 1 WHERE done_at IS NULL`,
    // notices that have forty webhooks to look at are not done at once
    sql`UPDATE webhooks SET is_enabled = 0`,
  )
})

describe('queue', () => {
  test('delivers a notice and acknowledges its message', async () => {
    const id = await createNotice()
    const box = buildMailService()

    const result = await consume(LIVE, [{ kind: 'notice', id }], box.env)

    expect(result).toMatchObject({ outcome: 'ok', explicitAcks: ['m0'], retryMessages: [] })
    expect(box.sent).toHaveLength(1)
    expect((await noticeRow(id))?.done_at).not.toBeNull()
  })

  test('acknowledges a repeated message, in the same batch or later, without another mail', async () => {
    const id = await createNotice()
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

  test('retries the message of a notice that could not be delivered when that is due again', async () => {
    const [bad, good] = [await createNotice(), await createNotice()]
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

  test('acknowledges the message of a notice after its last attempt', async () => {
    const id = await createNotice()
    await execute(
      sql`UPDATE notices SET attempts = ${OUTBOXES.notice.maxAttempts - 1} WHERE id = ${id}`,
    )
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
    ['that is null', null],
  ])('acknowledges a message %s and logs it without its content', async (_, body) => {
    const error = vi.spyOn(console, 'error').mockReturnValue()

    const result = await consume(LIVE, [body])

    expect(result).toMatchObject({ outcome: 'ok', explicitAcks: ['m0'], retryMessages: [] })
    expect(error).toHaveBeenCalledTimes(1)
    expect(String(error.mock.calls[0])).not.toContain('tulip')
  })

  test('retries messages with growing delays and does not throw while the database is unreachable', async () => {
    const body = { kind: 'notice', id: 1 }
    const error = vi.spyOn(console, 'error').mockReturnValue()

    const first = await consume(LIVE, [body, body], withoutDatabase)
    const fourth = await consume(LIVE, [body], withoutDatabase, 4)

    expect(first.explicitAcks).toEqual([])
    expect(first.retryMessages).toHaveLength(2)
    expect(first.delays).toEqual([60, 60])
    expect(fourth.delays).toEqual([480])
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({ ids: [1] })
  })

  test('delivers other notices that are due too', async () => {
    const [announced, other] = [await createNotice(), await createNotice()]
    const box = buildMailService()

    const result = await consume(LIVE, [{ kind: 'notice', id: announced }], box.env)

    expect(result.explicitAcks).toEqual(['m0'])
    expect(box.sent).toHaveLength(2)
    expect((await noticeRow(other))?.done_at).not.toBeNull()
  })

  test('sends a delayed message for another notice that could not be delivered', async () => {
    const [announced, other] = [await createNotice(), await createNotice()]
    const badBug = `[Bug ${(await noticeRow(other))?.bug_id}]`
    const { EVENTS, sent } = recordingQueue()
    const box = buildMailService({ EVENTS }, ({ subject }) => {
      if (subject.includes(badBug)) {
        throw new Error('connection lost')
      }
    })

    const result = await consume(LIVE, [{ kind: 'notice', id: announced }], box.env)

    expect(result.explicitAcks).toEqual(['m0'])
    expect(sent).toEqual([{ body: { kind: 'notice', id: other }, delaySeconds: 60 }])
  })

  test('sends another message when more notices are due than one batch delivers', async () => {
    const author = await insertPerson()
    const about = await insertBug({ reporter: author })
    const announced = await insertNotice(about, author, { isMinor: true })
    for (let n = 0; n < 30; n += 1) {
      await insertNotice(about, author, { isMinor: true })
    }
    const { EVENTS, sent } = recordingQueue()
    const envWithQueue = { ...env, EVENTS } as unknown as Env
    const countDue = async () =>
      (await execute(sql`SELECT count(*) AS n FROM notices WHERE done_at IS NULL`))[0]?.n

    await consume(LIVE, [{ kind: 'notice', id: announced }], envWithQueue)
    expect(await countDue()).toBe(6)
    expect(sent).toEqual([{ body: { kind: 'notice', id: announced } }])
    await consume(LIVE, [{ kind: 'notice', id: announced }], envWithQueue)
    expect(await countDue()).toBe(0)
    expect(sent).toHaveLength(1)
  })

  test('sends that message before it delivers, so that slow mails delay no others', async () => {
    for (let n = 0; n < 30; n += 1) {
      const author = await insertPerson()
      await insertNotice(await insertBug({ reporter: author }), author, { isMinor: true })
    }
    const announced = await createNotice()
    const { EVENTS, sent } = recordingQueue()
    const sentBefore: MessageSendRequest[][] = []
    const box = buildMailService({ EVENTS }, () => sentBefore.push([...sent]))

    await consume(LIVE, [{ kind: 'notice', id: announced }], box.env)

    expect(sentBefore).toEqual([[{ body: { kind: 'notice', id: announced } }]])
  })

  test('succeeds although the queue accepts no message, because the sweep finds the notice', async () => {
    const announced = await createNotice()
    const other = await createNotice()
    const EVENTS = { sendBatch: () => Promise.reject(new Error('queue unreachable')) }
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const box = buildMailService({ EVENTS }, () => {
      throw new Error('connection lost')
    })

    const result = await consume(LIVE, [{ kind: 'notice', id: announced }], box.env)

    expect(result).toMatchObject({ outcome: 'ok', retryMessages: [{ msgId: 'm0' }] })
    expect(await noticeRow(other)).toMatchObject({ attempts: 1, done_at: null })
    expect(String(error.mock.calls[0])).toContain('deferred work failed')
  })

  test('may retry a message as often as any outbox retries its rows', () => {
    const [, retries] =
      /queue = "lacewing-events"\n(?:[^[]*\n)?max_retries = (\d+)/.exec(wranglerToml) ?? []
    const attempts = Object.values(OUTBOXES).map(({ maxAttempts }) => maxAttempts)
    expect(Number(retries)).toBeGreaterThanOrEqual(Math.max(...attempts))
  })

  test('delivers a reminder and a notice of one batch', async () => {
    const notice = await createNotice()
    const owner = await insertPerson()
    const reminder = await insertReminder(await insertBug(), owner)
    const box = buildMailService()
    // each message processes all rows that are due, those of other tests too
    await execute(
      sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL AND id <> ${notice}`,
      sql`UPDATE reminders SET done_at = 1 WHERE done_at IS NULL AND id <> ${reminder}`,
    )

    const result = await consume(
      LIVE,
      [
        { kind: 'reminder', id: reminder },
        { kind: 'notice', id: notice },
        { kind: 'reminder', id: reminder },
      ],
      box.env,
    )

    expect(result.explicitAcks.sort()).toEqual(['m0', 'm1', 'm2'])
    expect(box.mailTo(owner.login)?.subject).toContain('reminder')
    expect(box.sent).toHaveLength(2)
  })

  test('retries the message of a reminder that could not be sent when that is due again', async () => {
    const reminder = await insertReminder(await insertBug(), await insertPerson())
    const box = buildMailService({}, () => {
      throw new Error('connection lost')
    })
    const result = await consume(LIVE, [{ kind: 'reminder', id: reminder }], box.env)
    expect(result).toMatchObject({ explicitAcks: [], delays: [60] })
  })

  test('is the queue handler of the Worker', () => {
    expect(worker.queue).toBe(queue)
  })
})

describe('the dead-letter queue', () => {
  test('logs the IDs of its messages and leaves their rows to the sweep', async () => {
    const error = vi.spyOn(console, 'error').mockReturnValue()
    const [first, second] = [await createNotice(), await createNotice()]

    const result = await consume(DEAD, [
      { kind: 'notice', id: first },
      { kind: 'surprise' },
      { kind: 'notice', id: second },
    ])

    expect(result).toMatchObject({ outcome: 'ok', ackAll: true })
    expect(await noticeRow(first)).toMatchObject({ done_at: null, last_error: null })
    expect(await noticeRow(second)).toMatchObject({ done_at: null, last_error: null })
    expect(JSON.parse(String(error.mock.calls[0]?.[0]))).toMatchObject({
      messages: [
        { kind: 'notice', id: first },
        { kind: 'notice', id: second },
      ],
      count: 3,
    })
  })
})
