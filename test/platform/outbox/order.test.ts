import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { RetryError } from '../../../src/platform/outbox/errors.ts'
import { OUTBOXES, processOutbox, type RowRequest } from '../../../src/platform/outbox/outbox.ts'
import { copyBug, insertBug } from '../../support/builders/bugs.ts'
import { insertWebhookDelivery } from '../../support/builders/later-work.ts'
import { insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

let ann: TestPerson
let bob: TestPerson
let lamp: TestBug
let door: TestBug

beforeEach(async () => {
  await execute(sql`UPDATE notices SET done_at = 1 WHERE done_at IS NULL`)
  await execute(sql`UPDATE webhook_deliveries SET done_at = 1 WHERE done_at IS NULL`)
  ann = await insertPerson()
  bob = await insertPerson()
  lamp = await insertBug({ reporter: ann })
  door = await insertBug({ reporter: ann })
})

const leased = { attempts: 1, leaseUntil: NOW + 10 }

type Kind = 'notice' | 'webhook'

/** Works on rows, and returns their IDs in the order of the work. */
async function claim(kind: Kind, request: RowRequest, now = NOW): Promise<number[]> {
  const worked: number[] = []
  const { session } = buildMailService().ctx()
  await processOutbox({ session, now }, OUTBOXES[kind], request, async ({ id }) => {
    worked.push(Number(id))
    return []
  })
  return worked
}

describe('a notice', () => {
  test.each([
    ['of the same bug', () => insertNotice(lamp, bob)],
    ['by the same person', () => insertNotice(door, ann)],
  ])('waits while one %s is under work', async (_, insert) => {
    await insertNotice(lamp, ann, leased)
    const later = await insert()
    const carol = await insertPerson()
    const other = await insertNotice(await insertBug({ reporter: carol }), carol)
    expect(await claim('notice', { ids: [later] })).toEqual([])
    expect(await claim('notice', { ids: [], others: 9 })).toEqual([other])
  })

  test('waits behind one that waits itself', async () => {
    await insertNotice(lamp, ann, leased)
    const [second, third] = [await insertNotice(door, ann), await insertNotice(door, bob)]
    expect(await claim('notice', { ids: [third, second] })).toEqual([])
  })

  test('is worked on behind one that is claimed with it', async () => {
    const ids = [await insertNotice(lamp, ann), await insertNotice(lamp, bob)]
    expect(await claim('notice', { ids: ids.toReversed() })).toEqual(ids)
  })

  test('waits for one that is due and has no message', async () => {
    const [first, second] = [await insertNotice(lamp, ann), await insertNotice(lamp, ann)]
    const onMoreDue = vi.fn()
    expect(await claim('notice', { ids: [second], onMoreDue })).toEqual([])
    expect(onMoreDue).toHaveBeenCalledOnce()
    expect(await claim('notice', { ids: [second], others: 9 })).toEqual([first, second])
  })

  test('waits for one whose worker died, until that has happened five times', async () => {
    const left = await insertNotice(lamp, ann, { attempts: 5, leaseUntil: NOW - 1 })
    const later = await insertNotice(lamp, ann)
    expect(await claim('notice', { ids: [later] })).toEqual([])
    await execute(sql`UPDATE notices SET attempts = 6 WHERE id = ${left}`)
    expect(await claim('notice', { ids: [later] })).toEqual([later])
  })

  test('does not wait for one that failed', async () => {
    await insertNotice(lamp, ann, { attempts: 1, lastError: 'no', nextAttemptAt: NOW + 60 })
    await insertNotice(lamp, ann, { ...leased, lastError: 'no' })
    const later = await insertNotice(lamp, ann)
    expect(await claim('notice', { ids: [later] })).toEqual([later])
  })

  test('is announced at the end of the work that it waited for, succeeded or not', async () => {
    const request = { ids: [await insertNotice(lamp, ann)], onMoreDue: vi.fn() }
    const { session } = buildMailService().ctx()
    const work = async () => {
      await insertNotice(lamp, ann)
      expect(request.onMoreDue).not.toHaveBeenCalled()
      return []
    }
    await processOutbox({ session, now: NOW }, OUTBOXES.notice, request, work)
    expect(request.onMoreDue).toHaveBeenCalledOnce()
    await processOutbox(
      { session, now: NOW + 1 },
      OUTBOXES.notice,
      { ...request, others: 1 },
      async () => {
        await insertNotice(lamp, ann)
        throw new RetryError('no')
      },
    )
    expect(request.onMoreDue).toHaveBeenCalledTimes(2)
  })
})

describe('a delivery of a webhook', () => {
  test('waits for those of its bug to its webhook, and for no others', async () => {
    const first = await insertWebhookDelivery(lamp, ann, leased)
    const row = await loadRow('webhook_deliveries', sql`id = ${first}`)
    const insert = async (bug: TestBug) => {
      const id = await insertWebhookDelivery(bug, ann)
      await execute(
        sql`UPDATE webhook_deliveries SET webhook_id = ${row?.webhook_id} WHERE id = ${id}`,
      )
      return id
    }
    const [same, otherBug] = [await insert(lamp), await insert(door)]
    const otherHook = await insertWebhookDelivery(lamp, ann)
    const ids = [same, otherBug, otherHook]
    expect(await claim('webhook', { ids })).toEqual([otherBug, otherHook])
  })
})

describe('a lease', () => {
  test('is renewed while the work lasts, so that nobody else begins it', async () => {
    const id = await insertNotice(lamp, ann)
    const { session } = buildMailService().ctx()
    const began = Date.now()
    const clock = vi.spyOn(Date, 'now')
    const work = async () => {
      clock.mockImplementation(() => began + 20_000)
      const isRenewed = async () =>
        expect((await loadRow('notices', sql`id = ${id}`))?.lease_until).toBeGreaterThan(NOW + 60)
      await vi.waitFor(isRenewed, { timeout: 100_000 })
      return []
    }
    await processOutbox({ session, now: NOW }, OUTBOXES.notice, { ids: [id] }, work)
    clock.mockRestore()
    expect(await loadRow('notices', sql`id = ${id}`)).toMatchObject({ done_at: NOW, attempts: 1 })
  })
})

test('a claim does not look at the many rows that an outage left, because they hold up nobody', async () => {
  const many = sql`WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 2000)`
  const work = sql`${NOW + 999}, 2, 'the mail was not accepted' FROM number`
  await execute(sql`INSERT INTO notices
      (bug_id, author_id, kind, happened_at, next_attempt_at, attempts, last_error)
    ${many} SELECT ${lamp.id}, ${ann.id}, 'changed', ${NOW}, ${work}`)
  const own: number[] = []
  for (let n = 0; n < 10; n += 1) {
    own.push(await insertNotice(lamp, ann))
  }
  const { session } = buildMailService().ctx()

  await processOutbox(
    { session, now: NOW },
    OUTBOXES.notice,
    { ids: own.slice(0, 5) },
    async () => [],
  )

  expect(session.cost.mostRead).toBeLessThan(500)
  await execute(sql`DELETE FROM notices WHERE last_error IS NOT NULL`)
})

test.each([
  ['about many bugs', 'bug_id'],
  ['about one bug', 'min(bug_id) OVER ()'],
])(
  'a claim of deliveries %s reads no more rows where fifty times as many are due',
  async (_, bug) => {
    const bugs = JSON.stringify(await copyBug(lamp.id, 50))
    const first = await insertWebhookDelivery(lamp, ann)
    const row = await loadRow('webhook_deliveries', sql`id = ${first}`)
    const add = (count: number) =>
      execute(sql`WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ${count}),
        about(bug_id) AS (SELECT value FROM json_each(${bugs}))
      INSERT INTO webhook_deliveries (webhook_id, event, bug_id, created_at, next_attempt_at)
      SELECT ${row?.webhook_id}, 'change', ${sql.raw(bug)}, ${NOW}, ${NOW} FROM number JOIN about LIMIT ${count}`)
    const countRead = async () => {
      const { session } = buildMailService().ctx()
      const worked: unknown[] = []
      await processOutbox(
        { session, now: NOW },
        OUTBOXES.webhook,
        { ids: [first], others: 24 },
        async ({ id }) => {
          worked.push(id)
          return []
        },
      )
      expect(worked).toHaveLength(25)
      return session.cost.mostRead
    }
    await add(250)
    const few = await countRead()
    await execute(sql`UPDATE webhook_deliveries SET done_at = NULL, attempts = 0, lease_until = NULL
    WHERE webhook_id = ${row?.webhook_id}`)
    await add(12_500)
    expect(await countRead()).toBeLessThan(few + 100)
  },
)
