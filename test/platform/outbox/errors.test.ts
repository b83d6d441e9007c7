import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import type { Statement } from '../../../src/platform/db/commit.ts'
import { FinalError, RetryError } from '../../../src/platform/outbox/errors.ts'
import { LEASE_SECONDS } from '../../../src/platform/outbox/lease.ts'
import {
  giveUpExhaustedStatement,
  OUTBOXES,
  processOutbox,
  restartStatement,
} from '../../../src/platform/outbox/outbox.ts'
import { insertWaitingNotice } from '../../support/builders/notices.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

const NOTICES = OUTBOXES.notice
const { session } = buildMailService().ctx()
const contextAt = (now: number) => ({ session, now })
const loadNotice = (id: number) => loadRow('notices', sql`id = ${id}`)

type Row = Record<string, unknown>

/** Works on one row; answers what became of it. */
async function workOnOne(id: number, work: (row: Row) => Promise<readonly Statement[]>) {
  return (await processOutbox(contextAt(NOW), NOTICES, { ids: [id] }, work)).get(id)
}

describe('the error of a row', () => {
  test('is the message of a RetryError, which is made to be stored', async () => {
    const id = await insertWaitingNotice()
    const failing = () => Promise.reject(new RetryError('2 of 3 mails were not accepted'))
    expect(await workOnOne(id, failing)).toEqual({ retryInSeconds: 60 })
    expect(await loadNotice(id)).toMatchObject({ last_error: '2 of 3 mails were not accepted' })
  })

  test('is the name alone of any other error, whose message may quote addresses and texts', async () => {
    class TimeoutError extends Error {
      override readonly name = 'TimeoutError'
    }
    const errors: [error: unknown, stored: string][] = [
      [new TypeError("cannot read 'tulip@example.test'"), 'TypeError'],
      [new TimeoutError('tulip'), 'TimeoutError'],
      [new SyntaxError('tulip'), 'SyntaxError'],
      ['tulip', 'Error'],
      [undefined, 'Error'],
    ]
    for (const [error, stored] of errors) {
      const id = await insertWaitingNotice()
      await workOnOne(id, () => Promise.reject(error))
      expect(await loadNotice(id)).toMatchObject({ last_error: stored, done_at: null })
    }
  })

  test('is stored without quotes of the database when the closing commit failed', async () => {
    const id = await insertWaitingNotice()
    const bad = sql`UPDATE notices SET kind = ${'tulip'} WHERE id = ${id}`
    await workOnOne(id, async () => [bad])
    const { last_error } = (await loadNotice(id)) ?? {}
    expect(last_error).toEqual(expect.any(String))
    expect(last_error).not.toContain('tulip')
  })

  test('is replaced by that of the next attempt and cleared by a success', async () => {
    const id = await insertWaitingNotice({ attempts: 1, lastError: 'first' })
    await workOnOne(id, () => Promise.reject(new RetryError('second')))
    expect(await loadNotice(id)).toMatchObject({ last_error: 'second' })
    await execute(sql`UPDATE notices SET next_attempt_at = ${NOW} WHERE id = ${id}`)
    expect(await workOnOne(id, async () => [])).toBe('done')
    expect(await loadNotice(id)).toMatchObject({ last_error: null, done_at: NOW })
  })

  test('stays when the row is given up, and says so where no attempt ended', async () => {
    const attempts = NOTICES.maxAttempts
    const failed = await insertWaitingNotice({ attempts, leaseUntil: NOW - 1, lastError: 'no' })
    const fresh = await insertWaitingNotice({ attempts, leaseUntil: NOW - 1 })
    await execute(giveUpExhaustedStatement(NOTICES, NOW))
    expect(await loadNotice(failed)).toMatchObject({ done_at: NOW, last_error: 'no' })
    expect(await loadNotice(fresh)).toMatchObject({
      done_at: NOW,
      last_error: 'given up before an attempt ended',
    })
  })
})

describe('a RetryError', () => {
  const statement = (id: number) => sql`UPDATE notices SET is_minor = 1 WHERE id = ${id}`

  test('has its statements written with the time of the next attempt', async () => {
    const id = await insertWaitingNotice()
    await workOnOne(id, () => Promise.reject(new RetryError('later', [statement(id)])))
    expect(await loadNotice(id)).toMatchObject({
      is_minor: 1,
      done_at: null,
      next_attempt_at: NOW + 60,
    })
  })

  test('has them written when it was the last attempt too', async () => {
    const id = await insertWaitingNotice({ attempts: NOTICES.maxAttempts - 1 })
    await workOnOne(id, () => Promise.reject(new RetryError('no more', [statement(id)])))
    expect(await loadNotice(id)).toMatchObject({
      is_minor: 1,
      done_at: NOW,
      last_error: 'no more',
    })
  })

  test('leaves the row to its lease when they cannot be written', async () => {
    const id = await insertWaitingNotice()
    const bad = sql`UPDATE notices SET kind = 'unheard of' WHERE id = ${id}`
    const outcome = await workOnOne(id, () => Promise.reject(new RetryError('later', [bad])))
    expect(outcome).toEqual({ retryInSeconds: 60 })
    expect(await loadNotice(id)).toMatchObject({
      attempts: 1,
      lease_until: NOW + LEASE_SECONDS,
      last_error: null,
    })
  })
})

describe('a FinalError', () => {
  test('gives the row up at its first attempt, with the reason and the statements', async () => {
    const id = await insertWaitingNotice()
    const statement = sql`UPDATE notices SET is_minor = 1 WHERE id = ${id}`
    const error = new FinalError('refused for good', [statement])
    expect(await workOnOne(id, () => Promise.reject(error))).toBe('done')
    expect(await loadNotice(id)).toMatchObject({
      attempts: 1,
      is_minor: 1,
      done_at: NOW,
      lease_until: null,
      last_error: 'refused for good',
    })
  })
})

describe('the statements of an error', () => {
  test.each([
    ['a RetryError', RetryError],
    ['a FinalError', FinalError],
  ])(
    'are not written when another worker has taken the row over meanwhile, after %s',
    async (_, AnyError) => {
      const [lost, kept] = [await insertWaitingNotice(), await insertWaitingNotice()]
      const taken = {
        attempts: 2,
        lease_until: NOW + 5000,
        is_minor: 0,
        done_at: null,
        last_error: null,
      }
      await processOutbox(contextAt(NOW), NOTICES, { ids: [lost, kept] }, async (row) => {
        await execute(
          sql`UPDATE notices SET attempts = 2, lease_until = ${NOW + 5000} WHERE id = ${lost}`,
        )
        const id = Number(row.id)
        throw new AnyError('late', [sql`UPDATE notices SET is_minor = 1 WHERE id = ${id}`])
      })
      expect(await loadNotice(lost)).toMatchObject(taken)
      expect(await loadNotice(kept)).toMatchObject({ is_minor: 1, last_error: 'late' })
    },
  )
})

describe('a restart', () => {
  const restart = (id: number, condition = sql`1`) =>
    execute(restartStatement(NOTICES, id, condition, NOW))

  test('makes a row that was given up due with all of its attempts, and keeps its error', async () => {
    const given = { attempts: 14, lastError: 'no', doneAt: NOW - 5, nextAttemptAt: NOW - 9 }
    const id = await insertWaitingNotice(given)
    expect(await restart(id)).toEqual([{ id }])
    expect(await loadNotice(id)).toMatchObject({
      attempts: 0,
      last_error: 'no',
      done_at: null,
      next_attempt_at: NOW,
    })
    expect(await workOnOne(id, async () => [])).toBe('done')
  })

  test.each([
    ['that a worker has leased', { leaseUntil: NOW + 1 }, sql`1`],
    ['that does not fulfil the condition', {}, sql`0`],
  ])('leaves a row alone %s', async (_, state, condition) => {
    const id = await insertWaitingNotice(state)
    const before = await loadNotice(id)
    expect(await restart(id, condition)).toEqual([])
    expect(await loadNotice(id)).toEqual(before)
  })
})
