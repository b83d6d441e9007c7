import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { commit, type Statement, WriteConflict } from '../../../src/platform/db/commit.ts'
import type { DbSession } from '../../../src/platform/db/session.ts'
import { LEASE_SECONDS } from '../../../src/platform/outbox/lease.ts'
import { finishStatements, OUTBOXES, processOutbox } from '../../../src/platform/outbox/outbox.ts'
import { insertWaitingNotice } from '../../support/builders/notices.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

const NOTICES = OUTBOXES.notice
const { session } = buildMailService().ctx()
const contextAt = (now: number) => ({ session, now })
const loadNotice = (id: number) => loadRow('notices', sql`id = ${id}`)

type Row = Record<string, unknown>

/** The delay of a webhook after its first failure. */
const FAILED = { nextAttemptAt: NOW + 5, attempts: 1, lastError: 'it failed' }

/** Works on one row; answers what became of it. */
async function workOnOne(id: number, work: (row: Row) => Promise<readonly Statement[]>) {
  return (await processOutbox(contextAt(NOW), NOTICES, { ids: [id] }, work)).get(id)
}

describe('a claim', () => {
  test('leases a row while its work runs', async () => {
    const id = await insertWaitingNotice()
    const seen: unknown[] = []
    await workOnOne(id, async (claimed) => {
      seen.push(claimed.id, await loadNotice(id))
      return []
    })
    expect(seen).toMatchObject([
      id,
      { attempts: 1, lease_until: NOW + LEASE_SECONDS, done_at: null },
    ])
  })

  test.each([
    ['is leased by another worker', { leaseUntil: NOW + 1 }],
    ['is done', { doneAt: NOW - 1 }],
    ['is not due', { nextAttemptAt: NOW + 60 }],
    ['failed and is due in seconds', FAILED],
    ['has used up its attempts', { attempts: NOTICES.maxAttempts }],
  ])('a row that %s is left alone', async (_, more) => {
    const id = await insertWaitingNotice(more)
    const before = await loadNotice(id)
    const outcome = await workOnOne(id, () => {
      throw new Error('must not be called')
    })
    expect(outcome).toBe('done')
    expect(await loadNotice(id)).toEqual(before)
  })

  test('tolerates clocks that differ by a few seconds', async () => {
    const id = await insertWaitingNotice({ nextAttemptAt: NOW + 3 })
    await workOnOne(id, async () => [])
    expect(await loadNotice(id)).toMatchObject({ attempts: 1, done_at: NOW })
  })
})

describe('the end of the work on a row', () => {
  test('commits the statements of the work with the mark that the row is done', async () => {
    const id = await insertWaitingNotice()
    const more = sql`UPDATE notices SET is_minor = 1 WHERE id = ${id} AND done_at IS NULL`
    expect(await workOnOne(id, async () => [more])).toBe('done')
    expect(await loadNotice(id)).toMatchObject({ is_minor: 1, done_at: NOW, lease_until: null })
  })

  test('leaves the row to a retry when these statements fail', async () => {
    const id = await insertWaitingNotice()
    const bad = sql`UPDATE notices SET kind = 'unheard of' WHERE id = ${id}`
    expect(await workOnOne(id, async () => [bad])).toEqual({ retryInSeconds: 60 })
    expect(await loadNotice(id)).toMatchObject({
      done_at: null,
      lease_until: null,
      next_attempt_at: NOW + 60,
    })
  })

  test('has no effect when the lease has expired and another worker has claimed the row', async () => {
    const id = await insertWaitingNotice()
    const late = await workOnOne(id, async () => {
      await execute(
        sql`UPDATE notices SET attempts = 2, lease_until = ${NOW + 5000} WHERE id = ${id}`,
      )
      throw new Error('too late')
    })
    expect(late).toEqual({ retryInSeconds: 60 })
    expect(await loadNotice(id)).toMatchObject({
      attempts: 2,
      lease_until: NOW + 5000,
      next_attempt_at: NOW,
      done_at: null,
    })
  })

  test('gives the row up after its last attempt', async () => {
    const id = await insertWaitingNotice({ attempts: NOTICES.maxAttempts - 1 })
    const failing = () => Promise.reject(new Error('no'))
    expect(await workOnOne(id, failing)).toBe('done')
    expect(await loadNotice(id)).toMatchObject({ attempts: NOTICES.maxAttempts, done_at: NOW })
  })
})

describe('many rows at once', () => {
  test('are claimed in one round trip and done in another', async () => {
    const ids = [
      await insertWaitingNotice(),
      await insertWaitingNotice(),
      await insertWaitingNotice(),
    ]
    const own = buildMailService().ctx().session
    const ends = await processOutbox({ session: own, now: NOW }, NOTICES, { ids }, async () => [])
    expect([...ends]).toEqual(ids.map((id) => [id, 'done']))
    expect(own.cost.trips).toBe(2)
    for (const id of ids) {
      expect(await loadNotice(id)).toMatchObject({ attempts: 1, done_at: NOW, lease_until: null })
    }
  })

  test('are done although the work on one fails or cannot be committed', async () => {
    const [failing, unwritable, good, done] = [
      await insertWaitingNotice(),
      await insertWaitingNotice(),
      await insertWaitingNotice(),
      await insertWaitingNotice({ doneAt: NOW - 5 }),
    ]
    const ids = [failing, unwritable, good, done]
    const ends = await processOutbox(contextAt(NOW), NOTICES, { ids }, async ({ id }) => {
      if (id === failing) {
        throw new Error('no')
      }
      const kind = id === unwritable ? 'unheard of' : 'created'
      return [sql`UPDATE notices SET kind = ${kind} WHERE id = ${Number(id)}`]
    })
    expect(Object.fromEntries(ends)).toEqual({
      [failing]: { retryInSeconds: 60 },
      [unwritable]: { retryInSeconds: 60 },
      [good]: 'done',
      [done]: 'done',
    })
    expect(await loadNotice(failing)).toMatchObject({ done_at: null, next_attempt_at: NOW + 60 })
    expect(await loadNotice(unwritable)).toMatchObject({ done_at: null, next_attempt_at: NOW + 60 })
    expect(await loadNotice(good)).toMatchObject({ kind: 'created', done_at: NOW })
    expect(await loadNotice(done)).toMatchObject({ done_at: NOW - 5 })
  })

  test('are marked done while the work on another continues', async () => {
    const [slow, quick] = [await insertWaitingNotice(), await insertWaitingNotice()]
    const ends = await processOutbox(
      contextAt(NOW),
      NOTICES,
      { ids: [slow, quick] },
      async ({ id }) => {
        if (id === slow) {
          const isMarked = async () =>
            expect(await loadNotice(quick)).toMatchObject({ done_at: NOW })
          await vi.waitFor(isMarked, { timeout: 100_000 })
        }
        return []
      },
    )
    expect([...ends]).toEqual([
      [slow, 'done'],
      [quick, 'done'],
    ])
    expect(await loadNotice(slow)).toMatchObject({ attempts: 1, done_at: NOW })
  })

  test('are left to their leases when they cannot be rescheduled', async () => {
    const [one, other] = [await insertWaitingNotice(), await insertWaitingNotice()]
    let isOut = false
    const send: DbSession['send'] = (statements) =>
      isOut
        ? Promise.reject(new Error('D1_ERROR: Network connection lost.'))
        : session.send(statements)
    const ends = await processOutbox(
      { session: { ...session, send }, now: NOW },
      NOTICES,
      { ids: [one, other] },
      () => {
        isOut = true
        throw new Error('no')
      },
    )
    expect(Object.fromEntries(ends)).toEqual({
      [one]: { retryInSeconds: 60 },
      [other]: { retryInSeconds: 60 },
    })
    expect(await loadNotice(one)).toMatchObject({ attempts: 1, lease_until: NOW + LEASE_SECONDS })
  })

  test('include others that are due, longest waiting first', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const [named, late, later] = [await insertWaitingNotice(), ...(await insertLateNotices())]
    const ends = await processOutbox(
      contextAt(NOW),
      NOTICES,
      { ids: [named], others: 2 },
      async () => [],
    )
    expect([...ends.keys()].sort()).toEqual([named, late, later].sort())
    expect(await loadNotice(Number(later))).toMatchObject({ attempts: 1, done_at: NOW })
  })

  test.each([
    ['more were due than requested', 1, ['more', 'work', 'more']],
    ['no more were due', 2, ['work', 'work']],
  ])(
    'call onMoreDue before the work and at its end only if there are more: when %s',
    async (_, others, expected) => {
      await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
      await insertLateNotices()
      const events: string[] = []
      const request = { ids: [], others, onMoreDue: () => events.push('more') }
      await processOutbox(contextAt(NOW), NOTICES, request, async () => {
        events.push('work')
        return []
      })
      expect(events).toEqual(expected)
    },
  )

  test('are at most as many as requested, and none is leased, done, not due or exhausted', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const [late, later] = await insertLateNotices()
    for (const more of [
      { leaseUntil: NOW + 1 },
      { doneAt: NOW - 1 },
      { nextAttemptAt: NOW + 60 },
      FAILED,
      { nextAttemptAt: NOW - 900, attempts: NOTICES.maxAttempts },
    ]) {
      await insertWaitingNotice(more)
    }
    const one = await processOutbox(contextAt(NOW), NOTICES, { ids: [], others: 1 }, async () => [])
    expect([...one.keys()]).toEqual([late])
    const all = await processOutbox(contextAt(NOW), NOTICES, { ids: [], others: 9 }, async () => [])
    expect([...all.keys()]).toEqual([later])
  })

  test('include a row with an expired lease only when its ID is requested', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const left = await insertWaitingNotice({
      nextAttemptAt: NOW - 1000,
      attempts: 1,
      leaseUntil: NOW - 60,
    })
    const others = await processOutbox(
      contextAt(NOW),
      NOTICES,
      { ids: [], others: 9 },
      async () => [],
    )
    expect([...others.keys()]).toEqual([])
    const ends = await processOutbox(contextAt(NOW), NOTICES, { ids: [left] }, async () => [])
    expect([...ends]).toEqual([[left, 'done']])
    expect(await loadNotice(left)).toMatchObject({ attempts: 2, done_at: NOW })
  })

  async function insertLateNotices() {
    const later = await insertWaitingNotice({ nextAttemptAt: NOW - 30 })
    return [await insertWaitingNotice({ nextAttemptAt: NOW - 60 }), later] as const
  }

  test('may be none', async () => {
    expect((await processOutbox(contextAt(NOW), NOTICES, { ids: [] }, async () => [])).size).toBe(0)
  })
})

describe('work with a commit of its own', () => {
  test('marks its row as done there, and is not repeated', async () => {
    const id = await insertWaitingNotice()
    const outcome = await workOnOne(id, async (row) => {
      const claim = { id, attempts: Number(row.attempts) }
      await commit({ session }, { done: finishStatements(NOTICES, claim, NOW) })
      return []
    })
    expect(outcome).toBe('done')
    expect(await loadNotice(id)).toMatchObject({ done_at: NOW, lease_until: null })
  })

  test('fails as a conflict when the row is done or under another claim', async () => {
    const id = await insertWaitingNotice({ attempts: 2 })
    const finish = (attempts: number) =>
      commit({ session }, { done: finishStatements(NOTICES, { id, attempts }, NOW) })
    await expect(finish(1)).rejects.toThrow(WriteConflict)
    expect(await loadNotice(id)).toMatchObject({ done_at: null })
    await finish(2)
    await expect(finish(2)).rejects.toThrow(WriteConflict)
  })
})
