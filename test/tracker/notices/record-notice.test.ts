import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import type { Ctx } from '../../../src/platform/context.ts'
import {
  announceNotices,
  noticeOf,
  recordedNotices,
  recordNotice,
} from '../../../src/tracker/notices/record-notice.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { loadRowsOfBug } from '../../support/database/bugs.ts'
import { execute } from '../../support/database/execute.ts'

const ids = (...bugs: TestBug[]) =>
  sql`SELECT value AS bug_id FROM json_each(${JSON.stringify(bugs.map(({ id }) => id))})`

function announcing(author: TestPerson, bugs: SQL, at = NOW) {
  return execute(...recordNotice(bugs, { kind: 'changed', authorId: author.id, at, isMinor: true }))
}

const activityOf = async (who: TestPerson) =>
  (await execute(sql`SELECT last_activity_at FROM users WHERE id = ${who.id}`))[0]?.last_activity_at

const changedAt = async (about: TestBug) =>
  (await execute(sql`SELECT changed_at FROM bugs WHERE id = ${about.id}`))[0]?.changed_at

describe('a recorded notice', () => {
  test('is one notice for each bug, and moves its time and the author’s activity', async () => {
    const [one, two, author] = [await insertBug(), await insertBug(), await insertPerson()]
    const rows = await announcing(author, ids(one, two), NOW + 5)
    expect(recordedNotices(rows).map(({ bugId, at }) => [bugId, at])).toEqual([
      [one.id, NOW + 5],
      [two.id, NOW + 5],
    ])
    expect(await loadRowsOfBug('notices', one.id)).toMatchObject([
      {
        id: rows[0]?.id,
        author_id: author.id,
        kind: 'changed',
        happened_at: NOW + 5,
        is_minor: 1,
        attempts: 0,
        next_attempt_at: NOW + 5,
        done_at: null,
      },
    ])
    expect([await changedAt(one), await changedAt(two)]).toEqual([NOW + 5, NOW + 5])
    expect(await activityOf(author)).toBe(NOW + 5)
  })

  test('of no bug is none, and no activity', async () => {
    const author = await insertPerson()
    expect(await announcing(author, sql`SELECT 1 AS bug_id WHERE 0`)).toEqual([])
    expect(await activityOf(author)).toBeNull()
  })

  test('of a bug that is filed just then leaves its row alone', async () => {
    const [one, author] = [await insertBug(), await insertPerson()]
    await execute(sql`UPDATE bugs SET changed_at = ${NOW + 7} WHERE id = ${one.id}`)
    const filing = { kind: 'created', authorId: author.id, at: NOW + 7, isMinor: false } as const
    const statements = recordNotice(ids(one), filing)
    expect(statements).toHaveLength(2)
    const rows = await execute(...statements)
    expect(recordedNotices(rows).map(({ bugId, at }) => [bugId, at])).toEqual([[one.id, NOW + 7]])
    expect(await loadRowsOfBug('notices', one.id)).toMatchObject([{ kind: 'created' }])
    expect([await changedAt(one), await activityOf(author)]).toEqual([NOW + 7, NOW + 7])
  })

  test('never turns the time of a bug back', async () => {
    const [one, two, author] = [await insertBug(), await insertBug(), await insertPerson()]
    await execute(sql`UPDATE bugs SET changed_at = ${NOW + 900} WHERE id = ${one.id}`)
    const rows = await announcing(author, ids(one, two), NOW + 5)
    expect(recordedNotices(rows).map(({ at }) => at)).toEqual([NOW + 900, NOW + 5])
    expect([await changedAt(one), await changedAt(two)]).toEqual([NOW + 900, NOW + 5])
    const [late] = await loadRowsOfBug('notices', one.id)
    expect(late, 'its delivery is due now all the same').toMatchObject({ next_attempt_at: NOW + 5 })
  })

  test('is found by what follows it in the same commit', async () => {
    const [one, author] = [await insertBug(), await insertPerson()]
    await announcing(author, ids(one))
    const [second] = await announcing(author, ids(one))
    const [row] = await execute(sql`SELECT ${noticeOf(sql`bugs.id`)} AS notice FROM bugs
      WHERE id = ${one.id}`)
    expect(row?.notice).toBe(second?.id)
  })
})

describe('an enqueued delivery', () => {
  const about = (id: number) => [{ id, bugId: 1, at: NOW }]

  /** A queue of its own, to which nothing was sent yet; `isOut` makes it refuse. */
  function listening() {
    const sent: unknown[][] = []
    const deferred: Promise<unknown>[] = []
    const queue = {
      isOut: false,
      async send(...message: unknown[]) {
        if (queue.isOut) {
          throw new Error('queue out of reach')
        }
        sent.push(message)
      },
    }
    const ctx = {
      env: { EVENTS: queue },
      defer: (work: () => Promise<unknown>) => deferred.push(work()),
    } as unknown as Ctx
    return { sent, deferred, queue, ctx }
  }

  function atMillisecond(now: number) {
    vi.spyOn(Date, 'now').mockReturnValue(now)
  }

  test('names a notice and is delayed by a second', () => {
    const { sent, ctx } = listening()
    announceNotices(ctx, about(7))
    expect(sent).toEqual([[{ kind: 'notice', id: 7 }, { delaySeconds: 1 }]])
  })

  test('announces all notices of the same half second and none after it', () => {
    const { sent, ctx } = listening()
    for (const [ms, id] of [
      [1000, 1],
      [1001, 2],
      [1499, 3],
      [1500, 4],
      [1999, 5],
      [2500, 6],
    ] as const) {
      atMillisecond(ms)
      announceNotices(ctx, about(id))
    }
    expect(sent.map(([message]) => message)).toEqual(
      [1, 4, 6].map((id) => ({ kind: 'notice', id })),
    )
  })

  test('that the queue refused does not keep the next notice from being enqueued', async () => {
    const { sent, deferred, queue, ctx } = listening()
    atMillisecond(1000)
    queue.isOut = true
    announceNotices(ctx, about(1))
    expect(await Promise.allSettled(deferred)).toMatchObject([{ status: 'rejected' }])
    queue.isOut = false
    announceNotices(ctx, about(2))
    expect(sent.map(([message]) => message)).toEqual([{ kind: 'notice', id: 2 }])
  })

  test('that never ran does not keep the next notice from being enqueued', () => {
    const { sent, ctx } = listening()
    atMillisecond(1000)
    announceNotices({ ...ctx, defer: () => {} }, about(1))
    announceNotices(ctx, about(2))
    expect(sent.map(([message]) => message)).toEqual([{ kind: 'notice', id: 2 }])
  })

  test('is not sent when there are no notices', () => {
    const { deferred, ctx } = listening()
    announceNotices(ctx, [])
    expect(deferred).toEqual([])
  })
})
