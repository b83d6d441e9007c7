import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { RetryError } from '../../../src/platform/outbox/errors.ts'
import { LEASE_SECONDS } from '../../../src/platform/outbox/lease.ts'
import { OUTBOXES, processOutboxTogether } from '../../../src/platform/outbox/outbox.ts'
import { insertWaitingNotice } from '../../support/builders/notices.ts'
import { NOW } from '../../support/builders/unique.ts'
import { loadRow } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

const NOTICES = OUTBOXES.notice
const { session } = buildMailService().ctx()
const contextAt = (now: number) => ({ session, now })
const loadNotice = (id: number) => loadRow('notices', sql`id = ${id}`)

type Row = Record<string, unknown>

describe('rows that are processed together', () => {
  const insertThree = async () => [
    await insertWaitingNotice(),
    await insertWaitingNotice(),
    await insertWaitingNotice({ attempts: 4 }),
  ]

  test('are loaded at once, as they are under their leases, and worked on one by one', async () => {
    const ids = await insertThree()
    const done = await insertWaitingNotice({ doneAt: NOW - 5 })
    const loads: Row[][] = []
    const worked: unknown[] = []
    const request = { ids: [...ids, done] }
    const ends = await processOutboxTogether(contextAt(NOW), NOTICES, request, async (rows) => {
      loads.push([...rows])
      return async ({ id }) => {
        worked.push(id)
        return [sql`UPDATE notices SET is_minor = 1 WHERE id = ${Number(id)}`]
      }
    })
    expect(loads).toHaveLength(1)
    const leased = { lease_until: NOW + LEASE_SECONDS, done_at: null }
    expect(loads[0]).toEqual(
      expect.arrayContaining(
        ids.map((id, n) => expect.objectContaining({ ...leased, id, attempts: n < 2 ? 1 : 5 })),
      ),
    )
    expect(loads[0]).toHaveLength(3)
    expect(worked.sort()).toEqual([...ids].sort())
    expect([...ends.values()]).toEqual(['done', 'done', 'done', 'done'])
    for (const id of ids) {
      expect(await loadNotice(id)).toMatchObject({ is_minor: 1, done_at: NOW })
    }
  })

  test('are all retried when they cannot be loaded, each after its own delay', async () => {
    const [first = 0, second = 0, third = 0] = await insertThree()
    const request = { ids: [first, second, third] }
    const ends = await processOutboxTogether(contextAt(NOW), NOTICES, request, () =>
      Promise.reject(new RetryError('nothing to be read')),
    )
    expect(Object.fromEntries(ends)).toEqual({
      [first]: { retryInSeconds: 60 },
      [second]: { retryInSeconds: 60 },
      [third]: { retryInSeconds: 960 },
    })
    expect(await loadNotice(third)).toMatchObject({
      last_error: 'nothing to be read',
      lease_until: null,
      next_attempt_at: NOW + 960,
    })
  })

  test('are loaded one by one when that fails, so that a bad row fails alone', async () => {
    const [bad = 0, ...good] = await insertThree()
    const request = { ids: [bad, ...good] }
    await processOutboxTogether(contextAt(NOW), NOTICES, request, async (rows) => {
      if (rows.some(({ id }) => id === bad)) {
        throw new RetryError('not this one')
      }
      return async () => []
    })
    expect(await loadNotice(bad)).toMatchObject({ done_at: null, last_error: 'not this one' })
    for (const id of good) {
      expect(await loadNotice(id)).toMatchObject({ done_at: NOW, last_error: null })
    }
  })

  test('fail one by one', async () => {
    const [bad = 0, ...good] = await insertThree()
    const request = { ids: [bad, ...good] }
    await processOutboxTogether(contextAt(NOW), NOTICES, request, async () => async ({ id }) => {
      if (id === bad) {
        throw new RetryError('not this one')
      }
      return []
    })
    expect(await loadNotice(bad)).toMatchObject({ done_at: null, last_error: 'not this one' })
    for (const id of good) {
      expect(await loadNotice(id)).toMatchObject({ done_at: NOW, last_error: null })
    }
  })

  test('are not loaded when there are none', async () => {
    const load = vi.fn()
    await processOutboxTogether(contextAt(NOW), NOTICES, { ids: [] }, load)
    expect(load).not.toHaveBeenCalled()
  })
})
