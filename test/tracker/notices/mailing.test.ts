import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { deliverNotices } from '../../../src/tracker/notices/deliver.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute } from '../../support/database/execute.ts'
import {
  buildMailRefusal,
  buildMailService,
  deliverNotice,
} from '../../support/fakes/mail-service.ts'

async function insertBugWithReaders(count: number): Promise<TestBug> {
  const reporter = await insertPerson()
  const cc = await Promise.all(Array.from({ length: count }, () => insertPerson()))
  return insertBug({ reporter, assignee: reporter, cc })
}

async function insertDiscussedNotice(about: TestBug, author: TestPerson): Promise<number> {
  const noticeId = await insertNotice(about, author)
  await insertComment(about, author, { noticeId, body: `Comment of notice ${noticeId}.` })
  return noticeId
}

const recordedPeople = (noticeId: number) =>
  execute(sql`SELECT user_id FROM notice_mails WHERE notice_id = ${noticeId}`)

describe('the delivery of notices takes three round trips', () => {
  test.each([
    [1, 1],
    [1, 60],
    [25, 1],
    [25, 60],
  ])('for %i notices with %i recipients each', async (noticeCount, readerCount) => {
    const about = await insertBugWithReaders(readerCount)
    const ids: number[] = []
    for (let i = 0; i < noticeCount; i += 1) {
      ids.push(await insertDiscussedNotice(about, about.reporter))
    }
    const box = buildMailService()
    const ctx = box.ctx()

    const outcomes = await deliverNotices(ctx, { ids })

    expect([...outcomes.values()]).toEqual(ids.map(() => 'done'))
    expect(box.sent).toHaveLength(noticeCount * readerCount)
    expect(ctx.session.cost.trips).toBe(3)
    for (const id of ids) {
      expect(box.sent.filter(({ text }) => text.includes(`notice ${id}.`))).toHaveLength(
        readerCount,
      )
    }
  })

  test('for a refused mail as well, which the next attempt sends alone', async () => {
    const about = await insertBugWithReaders(60)
    const id = await insertDiscussedNotice(about, about.reporter)
    let isRefused = true
    const box = buildMailService({}, () => {
      if (isRefused) {
        isRefused = false
        throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
      }
    })
    const ctx = box.ctx()

    expect(await deliverNotice(ctx, id)).toEqual({ retryInSeconds: 60 })
    expect(ctx.session.cost.trips).toBe(3)
    expect(box.sent).toHaveLength(59)
    expect(await recordedPeople(id)).toHaveLength(59)

    expect(await deliverNotice(box.ctx(NOW + 3600), id)).toBe('done')
    expect(new Set(box.sent.map(({ to }) => to)).size).toBe(60)
    expect(box.sent).toHaveLength(60)
    expect(await recordedPeople(id)).toEqual([])
  })
})

describe('the delivery of notices at a time', () => {
  test('keeps a notice whose mails are refused from holding up another', async () => {
    const [refused, accepted] = [await insertBugWithReaders(2), await insertBugWithReaders(2)]
    const ids = [
      await insertDiscussedNotice(refused, refused.reporter),
      await insertDiscussedNotice(accepted, accepted.reporter),
    ]
    const box = buildMailService({}, ({ subject }) => {
      if (subject.includes(`[Bug ${refused.id}]`)) {
        throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
      }
    })

    const outcomes = await deliverNotices(box.ctx(), { ids })

    expect([...outcomes.values()]).toEqual([{ retryInSeconds: 60 }, 'done'])
    expect(box.sent).toHaveLength(2)
  })

  test('records recipients while sending lasts long, and forgets them at the end', async () => {
    const about = await insertBugWithReaders(120)
    const id = await insertDiscussedNotice(about, about.reporter)
    const recorded: number[] = []
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const box = buildMailService({}, () => {
      // a batch of mails takes longer than the time between two records
      now += 1_000
    })
    const ctx = box.ctx(NOW)
    const { session } = ctx
    const send = session.send.bind(session)
    vi.spyOn(session, 'send').mockImplementation(async (statements) => {
      const results = await send(statements)
      const [row] = await execute(
        sql`SELECT count(*) AS count FROM notice_mails WHERE notice_id = ${id}`,
      )
      recorded.push(Number(row?.count))
      return results
    })

    expect(await deliverNotice(ctx, id)).toBe('done')

    // claim, load, a record after each batch of 50 recipients, whose first is the author, and the end
    expect(recorded).toEqual([0, 0, 49, 99, 0])
    expect(box.sent).toHaveLength(120)
  })

  test('is put off without counting as an attempt when it takes too long, and nobody is mailed twice', async () => {
    const about = await insertBugWithReaders(0)
    await insertReaders(about, 2_100)
    const id = await insertDiscussedNotice(about, about.reporter)
    let now = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const box = buildMailService({}, () => {
      // the first part takes most of what an invocation has
      now += 200
    })
    const readOutbox = () =>
      execute(sql`SELECT attempts, lease_until, done_at, last_error FROM notices WHERE id = ${id}`)

    expect(await deliverNotice(box.ctx(NOW), id)).toBe('done')

    expect(await readOutbox()).toEqual([
      { attempts: 0, lease_until: null, done_at: null, last_error: null },
    ])
    // all but the author
    expect(box.sent).toHaveLength(1_999)
    expect(await recordedPeople(id)).toHaveLength(1_999)

    expect(await deliverNotice(box.ctx(NOW), id)).toBe('done')
    expect(await readOutbox()).toEqual([
      { attempts: 1, lease_until: null, done_at: NOW, last_error: null },
    ])
    expect(box.sent).toHaveLength(2_100)
    expect(new Set(box.sent.map(({ to }) => to)).size).toBe(2_100)
    expect(await recordedPeople(id)).toEqual([])
  })
})

async function insertReaders({ id }: TestBug, count: number): Promise<void> {
  const logins = `reader-%-of-${id}@many.test`
  await execute(sql`INSERT INTO users (login, login_fold, created_at)
    WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count})
    SELECT replace(${logins}, '%', n), replace(${logins}, '%', n), 0 FROM number`)
  await execute(sql`INSERT INTO bug_cc (bug_id, user_id)
    SELECT ${id}, id FROM users WHERE login_fold LIKE ${logins}`)
}
