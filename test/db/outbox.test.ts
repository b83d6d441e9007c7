import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import type { Statement } from '../../src/db/commit.ts'
import {
  delayAfter,
  giveUpStatement,
  LEASE_SECONDS,
  MAX_ATTEMPTS,
  processOutbox,
} from '../../src/db/outbox.ts'
import { notices } from '../../src/db/schema/notices.ts'
import type { DbSession } from '../../src/db/session.ts'
import { insertBug } from '../support/builders/bugs.ts'
import { insertNotice } from '../support/builders/notices.ts'
import { insertPerson } from '../support/builders/people.ts'
import { NOW } from '../support/builders/unique.ts'
import { execute, loadRow } from '../support/database/execute.ts'
import { buildMailService } from '../support/fakes/mail-service.ts'

const { session } = buildMailService().ctx()
const at = (now: number) => ({ session, now })
const row = (id: number) => loadRow('notices', sql`id = ${id}`)

type Row = Record<string, unknown>

/** Works on one row; answers what became of it. */
async function workOnOne(id: number, work: (row: Row) => Promise<readonly Statement[]>) {
  return (await processOutbox(at(NOW), notices, { ids: [id] }, work)).get(id)
}

async function waiting(more: Parameters<typeof insertNotice>[2] = {}): Promise<number> {
  const author = await insertPerson()
  return insertNotice(await insertBug({ reporter: author }), author, more)
}

test.each([
  [1, 60],
  [2, 120],
  [5, 960],
  [9, 15_360],
  [10, 30_720],
  [11, 43_200],
  [50, 43_200],
])('after %s attempts the next waits %s seconds', (attempts, seconds) => {
  expect(delayAfter(attempts)).toBe(seconds)
})

describe('a claim', () => {
  test('leases a row while its work runs', async () => {
    const id = await waiting()
    const seen: unknown[] = []
    await workOnOne(id, async (claimed) => {
      seen.push(claimed.id, await row(id))
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
    ['has used up its attempts', { attempts: MAX_ATTEMPTS }],
  ])('a row that %s is left alone', async (_, more) => {
    const id = await waiting(more)
    const before = await row(id)
    const outcome = await workOnOne(id, () => {
      throw new Error('must not be called')
    })
    expect(outcome).toBe('done')
    expect(await row(id)).toEqual(before)
  })

  test('tolerates clocks that differ by a few seconds', async () => {
    const id = await waiting({ nextAttemptAt: NOW + 3 })
    await workOnOne(id, async () => [])
    expect(await row(id)).toMatchObject({ attempts: 1, done_at: NOW })
  })
})

describe('the end of the work on a row', () => {
  test('commits the statements of the work with the mark that the row is done', async () => {
    const id = await waiting()
    const more = sql`UPDATE notices SET is_minor = 1 WHERE id = ${id} AND done_at IS NULL`
    expect(await workOnOne(id, async () => [more])).toBe('done')
    expect(await row(id)).toMatchObject({ is_minor: 1, done_at: NOW, lease_until: null })
  })

  test('leaves the row to a retry when these statements fail', async () => {
    const id = await waiting()
    const bad = sql`UPDATE notices SET kind = 'unheard of' WHERE id = ${id}`
    expect(await workOnOne(id, async () => [bad])).toEqual({ retryInSeconds: 60 })
    expect(await row(id)).toMatchObject({
      done_at: null,
      lease_until: null,
      next_attempt_at: NOW + 60,
    })
  })

  test('has no effect when the lease has expired and another worker has claimed the row', async () => {
    const id = await waiting()
    const late = await workOnOne(id, async () => {
      await execute(
        sql`UPDATE notices SET attempts = 2, lease_until = ${NOW + 5000} WHERE id = ${id}`,
      )
      throw new Error('too late')
    })
    expect(late).toEqual({ retryInSeconds: 60 })
    expect(await row(id)).toMatchObject({
      attempts: 2,
      lease_until: NOW + 5000,
      next_attempt_at: NOW,
      done_at: null,
    })
  })

  test('gives the row up after its last attempt', async () => {
    const id = await waiting({ attempts: MAX_ATTEMPTS - 1 })
    const failing = () => Promise.reject(new Error('no'))
    expect(await workOnOne(id, failing)).toBe('done')
    expect(await row(id)).toMatchObject({ attempts: MAX_ATTEMPTS, done_at: NOW })
  })

  test('by giving up returns the rows that were not done', async () => {
    const [open, done] = [await waiting(), await waiting({ doneAt: NOW - 5 })]
    expect(await execute(giveUpStatement(notices, [open, done], NOW))).toEqual([{ id: open }])
    expect(await row(open)).toMatchObject({ done_at: NOW })
    expect(await row(done)).toMatchObject({ done_at: NOW - 5 })
  })
})

describe('many rows at once', () => {
  test('are claimed in one round trip and done in another', async () => {
    const ids = [await waiting(), await waiting(), await waiting()]
    const own = buildMailService().ctx().session
    const ends = await processOutbox({ session: own, now: NOW }, notices, { ids }, async () => [])
    expect([...ends]).toEqual(ids.map((id) => [id, 'done']))
    expect(own.cost.trips).toBe(2)
    for (const id of ids) {
      expect(await row(id)).toMatchObject({ attempts: 1, done_at: NOW, lease_until: null })
    }
  })

  test('are done although the work on one fails or cannot be committed', async () => {
    const [failing, unwritable, good, done] = [
      await waiting(),
      await waiting(),
      await waiting(),
      await waiting({ doneAt: NOW - 5 }),
    ]
    const ids = [failing, unwritable, good, done]
    const ends = await processOutbox(at(NOW), notices, { ids }, async ({ id }) => {
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
    expect(await row(failing)).toMatchObject({ done_at: null, next_attempt_at: NOW + 60 })
    expect(await row(unwritable)).toMatchObject({ done_at: null, next_attempt_at: NOW + 60 })
    expect(await row(good)).toMatchObject({ kind: 'created', done_at: NOW })
    expect(await row(done)).toMatchObject({ done_at: NOW - 5 })
  })

  test('are marked done while the work on another continues', async () => {
    const [slow, quick] = [await waiting(), await waiting()]
    const ends = await processOutbox(at(NOW), notices, { ids: [slow, quick] }, async ({ id }) => {
      if (id === slow) {
        const isMarked = async () => expect(await row(quick)).toMatchObject({ done_at: NOW })
        await vi.waitFor(isMarked, { timeout: 20_000 })
      }
      return []
    })
    expect([...ends]).toEqual([
      [slow, 'done'],
      [quick, 'done'],
    ])
    expect(await row(slow)).toMatchObject({ attempts: 1, done_at: NOW })
  })

  test('are left to their leases when they cannot be rescheduled', async () => {
    const [one, other] = [await waiting(), await waiting()]
    let isOut = false
    const send: DbSession['send'] = (statements) =>
      isOut
        ? Promise.reject(new Error('D1_ERROR: Network connection lost.'))
        : session.send(statements)
    const ends = await processOutbox(
      { session: { ...session, send }, now: NOW },
      notices,
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
    expect(await row(one)).toMatchObject({ attempts: 1, lease_until: NOW + LEASE_SECONDS })
  })

  test('include others that are due, longest waiting first', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const [named, late, later] = [await waiting(), ...(await lateOnes())]
    const ends = await processOutbox(at(NOW), notices, { ids: [named], others: 2 }, async () => [])
    expect([...ends.keys()].sort()).toEqual([named, late, later].sort())
    expect(await row(Number(later))).toMatchObject({ attempts: 1, done_at: NOW })
  })

  test.each([
    ['as many were due as were requested', 2, ['more', 'work', 'work']],
    ['fewer were due', 3, ['work', 'work']],
  ])(
    'call onMoreDue before the work only if there may be more: when %s',
    async (_, others, expected) => {
      await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
      await lateOnes()
      const events: string[] = []
      const request = { ids: [], others, onMoreDue: () => events.push('more') }
      await processOutbox(at(NOW), notices, request, async () => {
        events.push('work')
        return []
      })
      expect(events).toEqual(expected)
    },
  )

  test('are at most as many as requested, and none is leased, done, not due or exhausted', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const [late, later] = await lateOnes()
    for (const more of [
      { leaseUntil: NOW + 1 },
      { doneAt: NOW - 1 },
      { nextAttemptAt: NOW + 60 },
      { nextAttemptAt: NOW - 900, attempts: MAX_ATTEMPTS },
    ]) {
      await waiting(more)
    }
    const one = await processOutbox(at(NOW), notices, { ids: [], others: 1 }, async () => [])
    expect([...one.keys()]).toEqual([late])
    const all = await processOutbox(at(NOW), notices, { ids: [], others: 9 }, async () => [])
    expect([...all.keys()]).toEqual([later])
  })

  test('include a row with an expired lease only when its ID is requested', async () => {
    await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
    const left = await waiting({ nextAttemptAt: NOW - 1000, attempts: 1, leaseUntil: NOW - 60 })
    const others = await processOutbox(at(NOW), notices, { ids: [], others: 9 }, async () => [])
    expect([...others.keys()]).toEqual([])
    const ends = await processOutbox(at(NOW), notices, { ids: [left] }, async () => [])
    expect([...ends]).toEqual([[left, 'done']])
    expect(await row(left)).toMatchObject({ attempts: 2, done_at: NOW })
  })

  async function lateOnes() {
    const later = await waiting({ nextAttemptAt: NOW - 30 })
    return [await waiting({ nextAttemptAt: NOW - 60 }), later] as const
  }

  test('may be none', async () => {
    expect((await processOutbox(at(NOW), notices, { ids: [] }, async () => [])).size).toBe(0)
  })
})
