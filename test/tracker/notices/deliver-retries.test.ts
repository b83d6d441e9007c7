import { sql } from 'drizzle-orm'
import { describe, expect, test, vi } from 'vitest'
import { OUTBOXES } from '../../../src/platform/outbox/outbox.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { get, post } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import {
  buildMailRefusal,
  buildMailService,
  deliverNotice,
  type SentMail,
} from '../../support/fakes/mail-service.ts'

const noticeRow = (id: number) => loadRow('notices', sql`id = ${id}`)

describe('a delivery happens at least once:', () => {
  async function waitingNotice(author?: TestPerson) {
    const by = author ?? (await insertPerson())
    const about = await insertBug({ reporter: by })
    const id = await insertNotice(about, by)
    await insertComment(about, by, { noticeId: id, body: 'Hello.' })
    return { id, about }
  }

  test('of deliveries of one notice that start together, one sends the mail and the others find nothing to do', async () => {
    const { id } = await waitingNotice()
    const box = buildMailService()

    const outcomes = await Promise.all([
      deliverNotice(box.ctx(), id),
      deliverNotice(box.ctx(), id),
      deliverNotice(box.ctx(), id),
    ])

    expect(outcomes).toEqual(['done', 'done', 'done'])
    expect(box.sent).toHaveLength(1)
    expect(await deliverNotice(box.ctx(), id)).toBe('done')
    expect(box.sent).toHaveLength(1)
  })

  test('when the mail service fails, the notice waits longer after each attempt', async () => {
    const { id } = await waitingNotice()
    const box = buildMailService({}, () => {
      throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
    })

    expect(await deliverNotice(box.ctx(NOW), id)).toEqual({ retryInSeconds: 60 })
    expect(await noticeRow(id)).toMatchObject({
      attempts: 1,
      lease_until: null,
      next_attempt_at: NOW + 60,
      done_at: null,
    })
    expect(await deliverNotice(box.ctx(NOW + 30), id)).toBe('done')
    expect(await noticeRow(id)).toMatchObject({ attempts: 1, done_at: null })
    expect(await deliverNotice(box.ctx(NOW + 60), id)).toEqual({ retryInSeconds: 120 })

    const well = buildMailService()
    expect(await deliverNotice(well.ctx(NOW + 180), id)).toBe('done')
    expect(well.sent).toHaveLength(1)
    expect(await noticeRow(id)).toMatchObject({ attempts: 3, done_at: NOW + 180 })
  })

  test('an attempt after a failure sends nothing to those who already have their mail', async () => {
    const [author, lucky, unlucky] = [
      await insertPerson(),
      await insertPerson(),
      await insertPerson(),
    ]
    const about = await insertBug({ reporter: author, assignee: lucky, cc: [unlucky] })
    const id = await insertNotice(about, author)
    await insertComment(about, author, { noticeId: id, body: 'Listen.' })
    const failing = buildMailService({}, ({ to }) => {
      if (to === unlucky.login) {
        throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
      }
    })
    expect(await deliverNotice(failing.ctx(), id)).toMatchObject({ retryInSeconds: 60 })
    expect(failing.sent.map(({ to }) => to)).toEqual([lucky.login])

    const working = buildMailService()
    expect(await deliverNotice({ ...working.ctx(), now: NOW + 3600 }, id)).toBe('done')
    expect(working.sent.map(({ to }) => to)).toEqual([unlucky.login])
    expect(await loadRow('notice_mails', sql`notice_id = ${id}`)).toBeUndefined()
  })

  test('an address that is refused for good does not hold up the others', async () => {
    const author = await insertPerson()
    const { id, about } = await waitingNotice(author)
    const other = await insertPerson()
    await execute(sql`INSERT INTO bug_cc (bug_id, user_id) VALUES (${about.id}, ${other.id})`)
    const box = buildMailService({}, ({ to }) => {
      if (to === about.assignee.login) {
        throw buildMailRefusal('E_RECIPIENT_SUPPRESSED')
      }
    })

    expect(await deliverNotice(box.ctx(), id)).toBe('done')
    expect(box.sent.map(({ to }) => to)).toEqual([other.login])
  })

  /** A notice for three people, to two of whom the mail service answers with a code. */
  async function noticeForThree(codes: Record<string, string>) {
    const author = await insertPerson()
    const [well, refused, late] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const about = await insertBug({ reporter: author, assignee: well, cc: [refused, late] })
    const id = await insertNotice(about, author)
    await insertComment(about, author, { noticeId: id, body: 'Listen.' })
    const codeOf = new Map([
      [refused.login, codes.refused],
      [late.login, codes.late],
    ])
    const tried: string[] = []
    const box = buildMailService({}, ({ to }) => {
      tried.push(to)
      const code = codeOf.get(to)
      if (code !== undefined) {
        throw buildMailRefusal(code)
      }
    })
    return { id, box, codeOf, tried, well, refused, late }
  }
  const FINAL = 'E_RECIPIENT_SUPPRESSED'

  test('a mail that is refused for good ends its notice as given up, without an address in the error', async () => {
    const { id, box } = await noticeForThree({ refused: FINAL })
    expect(await deliverNotice(box.ctx(NOW), id)).toBe('done')
    expect(box.sent).toHaveLength(2)
    expect(await noticeRow(id)).toMatchObject({
      attempts: 1,
      done_at: NOW,
      last_error: 'mails refused for good: 1',
    })
    expect(await deliverNotice(box.ctx(NOW + 3600), id)).toBe('done')
    expect(box.sent).toHaveLength(2)
  })

  test('a mail that is refused for good is not tried again with those that wait, and not forgotten', async () => {
    const { id, box, codeOf, tried, refused, late } = await noticeForThree({
      refused: FINAL,
      late: 'E_RATE_LIMIT_EXCEEDED',
    })
    expect(await deliverNotice(box.ctx(NOW), id)).toEqual({ retryInSeconds: 60 })
    codeOf.delete(late.login)
    tried.length = 0
    expect(await deliverNotice(box.ctx(NOW + 60), id)).toBe('done')
    expect(tried).toEqual([late.login])
    expect(await noticeRow(id)).toMatchObject({ last_error: 'mails refused for good: 1' })
    expect(box.mailTo(refused.login)).toBeUndefined()
  })

  test('a notice with refused mails that an administrator sends again goes to the refused alone, as the same mail', async () => {
    const { id, box, codeOf, tried, refused } = await noticeForThree({ refused: FINAL })
    const spied = vi.spyOn(box.env.MAIL, 'send')
    await deliverNotice(box.ctx(NOW), id)
    const admin = await insertPerson({ roles: ['admin'] })
    const listed = await get(admin, '/rest/undelivered')
    expect(listed.body.undelivered).toContainEqual(
      expect.objectContaining({ id: `mail-${id}`, next_attempt: null }),
    )
    expect(listed.text).not.toContain(refused.login)

    await post(admin, `/rest/undelivered/mail-${id}/retry`)
    codeOf.clear()
    tried.length = 0
    const now = Math.floor(Date.now() / 1000) + 60
    expect(await deliverNotice(box.ctx(now), id)).toBe('done')
    expect(tried).toEqual([refused.login])
    expect(await noticeRow(id)).toMatchObject({ done_at: now, last_error: null })
    expect(await loadRow('notice_mails', sql`notice_id = ${id}`)).toBeUndefined()
    const [first, second] = spied.mock.calls
      .map(([mail]) => mail as unknown as SentMail)
      .filter(({ to }) => to === refused.login)
    expect(second).toEqual(first)
  })

  test('a notice whose worker died is delivered by another once the lease is over', async () => {
    const { id } = await waitingNotice()
    await execute(sql`UPDATE notices SET attempts = 1, lease_until = ${NOW + 600} WHERE id = ${id}`)
    const box = buildMailService()

    expect(await deliverNotice(box.ctx(NOW + 599), id)).toBe('done')
    expect(box.sent).toHaveLength(0)
    expect(await deliverNotice(box.ctx(NOW + 600), id)).toBe('done')
    expect(box.sent).toHaveLength(1)
  })

  test('after the last attempt a notice is given up', async () => {
    const { id } = await waitingNotice()
    await execute(
      sql`UPDATE notices SET attempts = ${OUTBOXES.notice.maxAttempts - 1} WHERE id = ${id}`,
    )
    const box = buildMailService({}, () => {
      throw new Error('connection lost')
    })

    expect(await deliverNotice(box.ctx(NOW), id)).toBe('done')
    expect(await noticeRow(id)).toMatchObject({
      attempts: OUTBOXES.notice.maxAttempts,
      done_at: NOW,
      lease_until: null,
    })
  })

  test('a notice that no longer exists is nothing to do', async () => {
    expect(await deliverNotice(buildMailService().ctx(), 987_654_321)).toBe('done')
  })
})
