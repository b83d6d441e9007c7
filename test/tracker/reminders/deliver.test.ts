import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import { LEASE_SECONDS } from '../../../src/platform/outbox/lease.ts'
import type { QueueMessage } from '../../../src/platform/outbox/messages.ts'
import { OUTBOXES } from '../../../src/platform/outbox/outbox.ts'
import { sweepOutboxes } from '../../../src/platform/outbox/sweep.ts'
import { deliverReminders } from '../../../src/tracker/reminders/deliver.ts'
import { insertBug, restrictBug } from '../../support/builders/bugs.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertReminder } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { get, post } from '../../support/client.ts'
import { execute, loadRow } from '../../support/database/execute.ts'
import {
  buildMailRefusal,
  buildMailService,
  type FakeMailService,
} from '../../support/fakes/mail-service.ts'

const DAY = 86_400
const reminderRow = (id: number) => loadRow('reminders', sql`id = ${id}`)

async function dueReminder(more: Parameters<typeof insertReminder>[2] = {}) {
  const owner = await insertPerson()
  const bug = await insertBug()
  return { owner, bug, id: await insertReminder(bug, owner, more) }
}

async function deliver(box: FakeMailService, id: number, now?: number) {
  return (await deliverReminders(box.ctx(now), { ids: [id] })).get(id)
}

async function isSent(owner: TestPerson, id: number): Promise<boolean> {
  return (await get(owner, `/rest/reminder/${id}`)).body.sent
}

/** What the cron job does at `now`: sweeps, and delivers the reminders of the messages that it sends. */
async function runDay(box: FakeMailService, now: number): Promise<void> {
  const messages: QueueMessage[] = []
  const EVENTS = {
    async sendBatch(batch: MessageSendRequest<QueueMessage>[]) {
      messages.push(...batch.map(({ body }) => body))
    },
  }
  const executionContext = createExecutionContext()
  const ctx = systemCtx({ ...box.env, EVENTS } as unknown as Env, executionContext)
  await sweepOutboxes({ ...ctx, now })
  await waitOnExecutionContext(executionContext)
  const ids = messages.flatMap(({ kind, id }) => (kind === 'reminder' ? id : []))
  await deliverReminders(box.ctx(now), { ids })
}

describe('a reminder that is due', () => {
  test('is mailed to its owner and becomes sent', async () => {
    const { owner, bug, id } = await dueReminder({ note: 'Look again.' })
    const box = buildMailService()
    expect(await isSent(owner, id)).toBe(false)
    expect(await deliver(box, id)).toBe('done')
    expect(box.sent.map(({ to, subject }) => [to, subject])).toEqual([
      [owner.login, `Lacewing reminder: [Bug ${bug.id}] ${bug.summary}`],
    ])
    expect(box.sent[0]?.text).toContain('Look again.')
    expect(box.sent[0]?.text).toContain(bug.summary)
    expect(await isSent(owner, id)).toBe(true)
  })

  test('is mailed once, however often and how many at a time its message arrives', async () => {
    const { id } = await dueReminder()
    const box = buildMailService()
    await Promise.all([deliver(box, id), deliver(box, id), deliver(box, id)])
    await deliver(box, id)
    expect(box.sent).toHaveLength(1)
  })

  test('is told apart from the preferences for changes', async () => {
    const { owner, id } = await dueReminder()
    await execute(sql`INSERT INTO mail_preferences (user_id, role, event, wanted)
      SELECT ${owner.id}, role.value, event.value, 0
      FROM json_each('["assignee","reporter","cc","qa_contact"]') role,
        json_each('["comment","other","created"]') event`)
    const box = buildMailService()
    await deliver(box, id)
    expect(box.sent).toHaveLength(1)
  })

  test('hides the summary of a bug in a group from the mail, also when the owner sees the bug', async () => {
    const owner = await insertPerson()
    const bug = await insertBug({ reporter: owner, summary: 'Tulips in the vault' })
    await restrictBug(bug.id, await insertGroup())
    const box = buildMailService()
    await deliver(box, await insertReminder(bug, owner))
    expect(box.sent).toHaveLength(1)
    expect(box.sent[0]?.text).toContain('(secure bug)')
    expect(JSON.stringify(box.sent)).not.toContain('Tulips')
  })
})

describe('a reminder that is due is done without a mail when', () => {
  test.each([
    [
      'its owner no longer sees the bug',
      async (_: TestPerson, bug: TestBug) => restrictBug(bug.id, await insertGroup()),
      {},
    ],
    [
      'the account is disabled',
      ({ id }: TestPerson) =>
        execute(sql`UPDATE users SET login_denied_text = 'gone' WHERE id = ${id}`),
      {},
    ],
    [
      'the account has mail off',
      ({ id }: TestPerson) => execute(sql`UPDATE users SET email_enabled = 0 WHERE id = ${id}`),
      {},
    ],
    ['the login is excluded from mail', async () => {}, { MAIL_NEVER_TO: '.TEST' }],
    ['the site sends no mail', async () => {}, { MAIL_FROM: '' }],
  ])('%s', async (_, prepare, vars) => {
    const { owner, bug, id } = await dueReminder()
    await prepare(owner, bug)
    const box = buildMailService(vars)
    expect(await deliver(box, id)).toBe('done')
    expect(box.sent).toEqual([])
    expect(await reminderRow(id)).toMatchObject({ attempts: 1, last_error: null })
    expect((await reminderRow(id))?.done_at).not.toBeNull()
  })

  test('its owner removed it meanwhile', async () => {
    const { id } = await dueReminder()
    await execute(sql`DELETE FROM reminders WHERE id = ${id}`)
    const box = buildMailService()
    expect(await deliver(box, id)).toBe('done')
    expect(box.sent).toEqual([])
  })
})

describe('the day of a reminder', () => {
  /** A reminder that is set over HTTP for a day, as its owner does. */
  async function setFor(day: string) {
    const owner = await insertPerson()
    const bug = await insertBug()
    const body = { bug_id: bug.id, reminder_ts: day }
    return { owner, id: Number((await post(owner, '/rest/reminder', body)).body.id) }
  }
  const at = (time: string) => Date.parse(time) / 1000

  test.each([
    ['2031-03-01', '2031-02-28T23:59:30Z', '2031-03-01T00:02:00Z'],
    ['2028-02-29', '2028-02-28T23:59:30Z', '2028-02-29T00:02:00Z'],
    ['2028-03-01', '2028-02-29T23:59:30Z', '2028-03-01T00:02:00Z'],
    ['2032-01-01', '2031-12-31T23:59:30Z', '2032-01-01T00:02:00Z'],
  ])('%s has not come at %s and has at %s', async (day, before, after) => {
    const { owner, id } = await setFor(day)
    const box = buildMailService()
    await runDay(box, at(before))
    expect(box.mailTo(owner.login)).toBeUndefined()
    expect(await reminderRow(id)).toMatchObject({ attempts: 0, done_at: null })
    await runDay(box, at(after))
    expect(box.mailTo(owner.login)).toBeDefined()
    expect(await isSent(owner, id)).toBe(true)
  })

  test('is made up for when no job ran for three days, once', async () => {
    const { owner } = await setFor('2033-05-05')
    const box = buildMailService()
    await runDay(box, at('2033-05-04T23:55:00Z'))
    expect(box.mailTo(owner.login)).toBeUndefined()
    await runDay(box, at('2033-05-08T00:05:00Z'))
    await runDay(box, at('2033-05-08T00:10:00Z'))
    await runDay(box, at('2033-05-09T00:10:00Z'))
    expect(box.sent.filter(({ to }) => to === owner.login)).toHaveLength(1)
  })

  test('that was over when it was set is made up for by the next run', async () => {
    const { owner } = await setFor('2001-02-03')
    const box = buildMailService()
    await runDay(box, NOW + 5)
    expect(box.mailTo(owner.login)).toBeDefined()
  })
})

describe('a reminder that could not be sent', () => {
  const refusing = () =>
    buildMailService({}, () => {
      throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
    })

  test('is tried again later and is not sent until then', async () => {
    const { owner, id } = await dueReminder()
    expect(await deliver(refusing(), id, NOW)).toEqual({ retryInSeconds: 60 })
    expect(await reminderRow(id)).toMatchObject({
      next_attempt_at: NOW + 60,
      done_at: null,
      last_error: 'the mail was not accepted',
    })
    expect(await isSent(owner, id)).toBe(false)
    const box = buildMailService()
    expect(await deliver(box, id, NOW + 30)).toBe('done')
    expect(box.sent).toEqual([])
    expect(await deliver(box, id, NOW + 60)).toBe('done')
    expect(box.sent).toHaveLength(1)
    expect(await isSent(owner, id)).toBe(true)
  })

  test('is given up after its last attempt and remains not sent', async () => {
    const { owner, id } = await dueReminder({ attempts: OUTBOXES.reminder.maxAttempts - 1 })
    expect(await deliver(refusing(), id, NOW)).toBe('done')
    expect(await reminderRow(id)).toMatchObject({ done_at: NOW })
    expect(await isSent(owner, id)).toBe(false)
  })

  test('because it was refused for good is given up at once and remains not sent', async () => {
    const { owner, id } = await dueReminder()
    const box = buildMailService({}, () => {
      throw buildMailRefusal('E_RECIPIENT_SUPPRESSED')
    })
    expect(await deliver(box, id, NOW)).toBe('done')
    expect(await reminderRow(id)).toMatchObject({
      attempts: 1,
      done_at: NOW,
      last_error: 'the mail was refused for good',
    })
    expect(await isSent(owner, id)).toBe(false)
  })

  test('does not hold up the others of its batch', async () => {
    const [bad, good] = [await dueReminder(), await dueReminder()]
    const box = buildMailService({}, ({ to }) => {
      if (to === bad.owner.login) {
        throw buildMailRefusal('E_RATE_LIMIT_EXCEEDED')
      }
    })
    const outcomes = await deliverReminders(box.ctx(NOW), { ids: [bad.id, good.id] })
    expect(Object.fromEntries(outcomes)).toEqual({
      [bad.id]: { retryInSeconds: 60 },
      [good.id]: 'done',
    })
    expect(box.sent.map(({ to }) => to)).toEqual([good.owner.login])
  })

  test('because its worker died before the mail is mailed when the lease is over', async () => {
    const { id } = await dueReminder({ attempts: 1, leaseUntil: NOW + LEASE_SECONDS })
    const box = buildMailService()
    await deliver(box, id, NOW + LEASE_SECONDS - 1)
    expect(box.sent).toEqual([])
    await deliver(box, id, NOW + LEASE_SECONDS)
    expect(box.sent).toHaveLength(1)
  })

  test('to the end because its worker died after the mail has the same message ID again', async () => {
    const { id } = await dueReminder()
    const box = buildMailService()
    const ctx = box.ctx(NOW)
    let sends = 0
    const send: typeof ctx.session.send = (statements) => {
      sends += 1
      return sends > 2
        ? Promise.reject(new Error('D1_ERROR: Network connection lost.'))
        : ctx.session.send(statements)
    }
    await deliverReminders({ ...ctx, session: { ...ctx.session, send } }, { ids: [id] })
    expect(box.sent).toHaveLength(1)
    expect(await reminderRow(id)).toMatchObject({ done_at: null, attempts: 1 })
    await deliver(box, id, NOW + LEASE_SECONDS)
    expect(box.sent).toHaveLength(2)
    expect(box.sent[1]).toEqual(box.sent[0])
    expect(await reminderRow(id)).toMatchObject({ attempts: 2, done_at: NOW + LEASE_SECONDS })
  })
})

test('a batch of 25 reminders takes three round trips, like one', async () => {
  const ids: number[] = []
  for (let n = 0; n < 25; n += 1) {
    ids.push((await dueReminder()).id)
  }
  const box = buildMailService()
  const ctx = box.ctx(NOW)
  await deliverReminders(ctx, { ids })
  expect(box.sent).toHaveLength(25)
  expect(ctx.session.cost.trips).toBe(3)
  const single = box.ctx(NOW)
  await deliverReminders(single, { ids: [(await dueReminder()).id] })
  expect(single.session.cost.trips).toBe(3)
})

test('reminders wait for their day without being read by the sweep', async () => {
  const { bug, owner } = await dueReminder({ doneAt: NOW })
  const box = buildMailService()
  const readBySweep = async () => {
    const ctx = box.ctx(1000)
    await sweepOutboxes(ctx)
    return ctx.session.cost.rowsRead
  }
  const before = await readBySweep()
  await execute(sql`INSERT INTO reminders (user_id, bug_id, note, remind_on, created_on, next_attempt_at)
    SELECT ${owner.id}, ${bug.id}, '', '2099-12-24', '2026-01-01', ${NOW + 1000 * DAY}
    FROM json_each(${JSON.stringify(Array.from({ length: 500 }, () => 0))})`)
  expect((await readBySweep()) - before).toBeLessThanOrEqual(2)
})
