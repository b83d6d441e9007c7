import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { OUTBOX_KINDS, type OutboxKind } from '../../../src/platform/outbox/outbox.ts'
import { deliverReminders } from '../../../src/tracker/reminders/deliver.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertReminder, insertWork, type WorkState } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { loadRow } from '../../support/database/execute.ts'
import { buildMailService } from '../../support/fakes/mail-service.ts'

const NAMES: Readonly<Record<OutboxKind, [name: string, table: string]>> = {
  notice: ['mail', 'notices'],
  webhook: ['webhook', 'webhook_deliveries'],
  push: ['push', 'codehost_pushes'],
  reminder: ['reminder', 'reminders'],
  key: ['key', 'api_key_mails'],
  account: ['account', 'account_links'],
}

const admin = await insertPerson({ roles: ['admin'] })
const bug = await insertBug()

const path = (kind: OutboxKind, id: number) => `/rest/undelivered/${NAMES[kind][0]}-${id}/retry`
const insert = (kind: OutboxKind, state: WorkState) => insertWork(kind, bug, admin, state)
const load = (kind: OutboxKind, id: number) => loadRow(NAMES[kind][1], sql`id = ${id}`)

/** Retries with a queue that keeps its messages. */
async function retry(kind: OutboxKind, id: number) {
  const messages: unknown[] = []
  const EVENTS = { send: async (message: unknown) => void messages.push(message) }
  const headers = { 'x-tracker-api-key': admin.key }
  const init = { method: 'POST', headers }
  const answer = await fetchWith({ EVENTS }, path(kind, id), init)
  return { status: answer.status, body: await answer.json(), messages }
}

describe.each(OUTBOX_KINDS)('POST /undelivered/{id}/retry of the kind %s', (kind) => {
  test.each<[string, WorkState]>([
    ['was given up', { attempts: 14, lastError: 'no', doneAt: NOW - 60 }],
    ['waits after a failure', { attempts: 3, lastError: 'no', nextAttemptAt: NOW + 9000 }],
    ['is overdue', { nextAttemptAt: NOW - 3600 }],
    ['was left by a worker that died', { attempts: 14, nextAttemptAt: NOW - 3600, leaseUntil: 1 }],
  ])('makes due at once what %s, and sends a queue message', async (_, state) => {
    const id = await insert(kind, state)
    expect(await retry(kind, id)).toEqual({
      status: 200,
      body: { queued: true },
      messages: [{ kind, id }],
    })
    const row = await load(kind, id)
    expect(row).toMatchObject({ attempts: 0, done_at: null, lease_until: null })
    expect(Number(row?.next_attempt_at)).toBeGreaterThanOrEqual(NOW - 1)
    expect(Number(row?.next_attempt_at)).toBeLessThan(NOW + 3600)
    expect(row?.last_error).toBe(state.lastError ?? null)
  })

  test('leaves what a worker is at to that worker', async () => {
    const id = await insert(kind, { attempts: 2, lastError: 'no', leaseUntil: NOW + 3600 })
    const before = await load(kind, id)
    expect((await retry(kind, id)).body).toEqual({ queued: true })
    expect(await load(kind, id)).toEqual(before)
  })

  test.each<[string, WorkState]>([
    ['got through', { attempts: 1, doneAt: NOW - 60 }],
    ['waits for its day', { nextAttemptAt: NOW + 86_400 }],
    ['has only just become due', { nextAttemptAt: NOW - 5 }],
  ])('refuses what %s with 51', async (_, state) => {
    const id = await insert(kind, state)
    const before = await load(kind, id)
    expectFault(await post(admin, path(kind, id)), 404, 51, `${NAMES[kind][0]}-${id}`)
    expect(await load(kind, id)).toEqual(before)
  })
})

describe('POST /undelivered/{id}/retry', () => {
  test.each(['mail-999999999', 'mail-x', '17', 'notice-1', 'reminder-0'])(
    'refuses the ID %s with 51',
    async (id) => {
      expectFault(await post(admin, `/rest/undelivered/${id}/retry`), 404, 51, id)
    },
  )

  test('refuses everybody but administrators, whether the ID exists or not', async () => {
    const id = await insert('notice', { lastError: 'no', doneAt: NOW })
    const person = await insertPerson({ roles: ['editusers', 'tweakparams'] })
    for (const each of [id, 999_999_999]) {
      expectFault(await post(ANYONE, path('notice', each)), 401, 410)
      expectFault(await post(person, path('notice', each)), 401, 304)
    }
    expect(await load('notice', id)).toMatchObject({ done_at: NOW })
  })

  test('brings a reminder that was given up to its owner, who then sees that it was sent', async () => {
    const owner = await insertPerson()
    const state = { attempts: 14, lastError: 'no', doneAt: NOW - 60 }
    const id = await insertReminder(bug, owner, state)
    await retry('reminder', id)
    const box = buildMailService()
    await deliverReminders(box.ctx(), { ids: [id] })
    expect(box.sent.map(({ to }) => to)).toEqual([owner.login])
    expect((await get(owner, `/rest/reminder/${id}`)).body.sent).toBe(true)
    expectFault(await post(admin, path('reminder', id)), 404, 51)
  })
})
