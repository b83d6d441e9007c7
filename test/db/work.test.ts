import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { notices } from '../../src/db/schema/notices.ts'
import { delayAfter, giveUp, LEASE_SECONDS, MOST_ATTEMPTS, workOn } from '../../src/db/work.ts'
import { bug, notice, rowOf, write } from '../support/happening.ts'
import { outbox } from '../support/outbox.ts'
import { NOW, person } from '../support/world.ts'

const { door } = outbox().ctx()
const at = (now: number) => ({ door, now })
const row = (id: number) => rowOf('notices', sql`id = ${id}`)

async function waiting(more: Parameters<typeof notice>[2] = {}): Promise<number> {
  const author = await person()
  return notice(await bug({ reporter: author }), author, more)
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

describe('claiming', () => {
  test('the row is held for the lease while it is worked on', async () => {
    const id = await waiting()
    const seen: unknown[] = []
    await workOn(at(NOW), notices, id, async (claimed) => {
      seen.push(claimed.id, await row(id))
      return []
    })
    expect(seen).toMatchObject([
      id,
      { attempts: 1, lease_until: NOW + LEASE_SECONDS, done_at: null },
    ])
  })

  test.each([
    ['is held by somebody', { leaseUntil: NOW + 1 }],
    ['is done', { doneAt: NOW - 1 }],
    ['is not due', { nextAttemptAt: NOW + 60 }],
    ['has used up its attempts', { attempts: MOST_ATTEMPTS }],
  ])('a row that %s is left alone', async (_, more) => {
    const id = await waiting(more)
    const before = await row(id)
    const outcome = await workOn(at(NOW), notices, id, () => {
      throw new Error('must not be called')
    })
    expect(outcome).toBe('settled')
    expect(await row(id)).toEqual(before)
  })

  test('clocks that differ by a few seconds do not make a nudge come too early', async () => {
    const id = await waiting({ nextAttemptAt: NOW + 3 })
    await workOn(at(NOW), notices, id, async () => [])
    expect(await row(id)).toMatchObject({ attempts: 1, done_at: NOW })
  })
})

describe('ending', () => {
  test('what the work leaves to be written is written together with the mark', async () => {
    const id = await waiting()
    const more = sql`UPDATE notices SET is_minor = 1 WHERE id = ${id} AND done_at IS NULL`
    expect(await workOn(at(NOW), notices, id, async () => [more])).toBe('settled')
    expect(await row(id)).toMatchObject({ is_minor: 1, done_at: NOW, lease_until: null })
  })

  test('when that cannot be written, the row is not done', async () => {
    const id = await waiting()
    const bad = sql`UPDATE notices SET kind = 'unheard of' WHERE id = ${id}`
    expect(await workOn(at(NOW), notices, id, async () => [bad])).toEqual({ tryAgainIn: 60 })
    expect(await row(id)).toMatchObject({
      done_at: null,
      lease_until: null,
      next_attempt_at: NOW + 60,
    })
  })

  test('a worker whose lease ran out does not touch the row of the one who took over', async () => {
    const id = await waiting()
    const late = await workOn(at(NOW), notices, id, async () => {
      await write(
        sql`UPDATE notices SET attempts = 2, lease_until = ${NOW + 5000} WHERE id = ${id}`,
      )
      throw new Error('too late')
    })
    expect(late).toEqual({ tryAgainIn: 60 })
    expect(await row(id)).toMatchObject({
      attempts: 2,
      lease_until: NOW + 5000,
      next_attempt_at: NOW,
      done_at: null,
    })
  })

  test('the tenth failure is the last', async () => {
    const id = await waiting({ attempts: MOST_ATTEMPTS - 1 })
    const failing = () => Promise.reject(new Error('no'))
    expect(await workOn(at(NOW), notices, id, failing)).toBe('settled')
    expect(await row(id)).toMatchObject({ attempts: MOST_ATTEMPTS, done_at: NOW })
  })

  test('giving up names the rows that were still waiting', async () => {
    const [open, done] = [await waiting(), await waiting({ doneAt: NOW - 5 })]
    expect(await write(giveUp(notices, [open, done], NOW))).toEqual([{ id: open }])
    expect(await row(open)).toMatchObject({ done_at: NOW })
    expect(await row(done)).toMatchObject({ done_at: NOW - 5 })
  })
})
