import { sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { toDatetime } from '../../../src/platform/lib/time.ts'
import { OUTBOX_KINDS, type OutboxKind } from '../../../src/platform/outbox/outbox.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertWork, type WorkState } from '../../support/builders/later-work.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW } from '../../support/builders/unique.ts'
import { ANYONE, expectFault, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

const PATH = '/rest/undelivered'
const NAMES: Readonly<Record<OutboxKind, string>> = {
  notice: 'mail',
  webhook: 'webhook',
  push: 'push',
  reminder: 'reminder',
  key: 'key',
  account: 'account',
}
const TABLES: Readonly<Record<OutboxKind, string>> = {
  notice: 'notices',
  webhook: 'webhook_deliveries',
  push: 'codehost_pushes',
  reminder: 'reminders',
  key: 'api_key_mails',
  account: 'account_links',
}

const insert = (kind: OutboxKind, state: WorkState) => insertWork(kind, bug, admin, state)

async function listed(query = ''): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await get(admin, `${PATH}${query}`)
  expect(status, text).toBe(200)
  return body.undelivered
}

const admin = await insertPerson({ roles: ['admin'] })
const bug = await insertBug()

beforeEach(async () => {
  // what other tests leave
  for (const table of Object.values(TABLES)) {
    await execute(sql`UPDATE ${sql.raw(table)} SET done_at = 1, last_error = NULL
      WHERE done_at IS NULL OR last_error IS NOT NULL`)
  }
})

describe.each(OUTBOX_KINDS)('GET /undelivered, about the kind %s', (kind) => {
  test('lists rows that failed and wait, are overdue, or were given up', async () => {
    const failed = { attempts: 3, lastError: 'not accepted', nextAttemptAt: NOW + 600 }
    const waiting = await insert(kind, failed)
    const late = await insert(kind, { nextAttemptAt: NOW - 3600 })
    const died = await insert(kind, {
      nextAttemptAt: NOW - 3600,
      attempts: 1,
      leaseUntil: NOW - 1800,
    })
    const lost = await insert(kind, { attempts: 14, lastError: 'no', doneAt: NOW - 60 })
    const rows = await listed()
    const bugId = kind === 'key' || kind === 'account' ? null : bug.id
    const common = { kind: NAMES[kind], bug_id: bugId, created: expect.any(String) }
    const id = (row: number) => `${NAMES[kind]}-${row}`
    const overdue = { ...common, last_error: null, next_attempt: toDatetime(NOW - 3600) }
    expect(rows).toHaveLength(4)
    expect(rows).toEqual(
      expect.arrayContaining([
        {
          ...common,
          id: id(waiting),
          attempts: 3,
          last_error: 'not accepted',
          next_attempt: toDatetime(NOW + 600),
        },
        { ...overdue, id: id(late), attempts: 0 },
        { ...overdue, id: id(died), attempts: 1 },
        { ...common, id: id(lost), attempts: 14, last_error: 'no', next_attempt: null },
      ]),
    )
  })

  test('leaves out rows that are delivered, recently due, or leased', async () => {
    await insert(kind, { attempts: 2, doneAt: NOW - 60 })
    await insert(kind, { nextAttemptAt: NOW - 60 })
    await insert(kind, { nextAttemptAt: NOW + 86_400 })
    await insert(kind, { nextAttemptAt: NOW - 3600, attempts: 1, leaseUntil: NOW + 600 })
    expect(await listed()).toEqual([])
  })

  test('reads no rows of what got through or waits for its day', async () => {
    await insert(kind, { attempts: 1, lastError: 'no', nextAttemptAt: NOW + 600 })
    await insert(kind, { nextAttemptAt: NOW - 3600 })
    const before = (await get(admin, `${PATH}?limit=5`)).cost.read
    const more = Array.from({ length: 400 }, () => 0)
    const [row] = await execute(sql`SELECT max(id) AS id FROM ${sql.raw(TABLES[kind])}`)
    await copyRow(kind, Number(row?.id), more.length)
    const after = await get(admin, `${PATH}?limit=5`)
    expect(after.cost.read - before).toBeLessThanOrEqual(2)
    expect(after.cost.trips).toBe(1)
  })

  /** Copies a row as others that got through, and as others that wait for their day. */
  async function copyRow(of: OutboxKind, id: number, count: number): Promise<void> {
    const columns = {
      notice: 'bug_id, author_id, kind, happened_at',
      webhook: 'webhook_id, event, bug_id, created_at',
      push: 'delivery_id + 100000 + n.i, bug_id, comment, repository, ref',
      reminder: 'user_id, bug_id, note, remind_on, created_on',
      key: 'key_id, planned_at, expires_at',
      account: 'kind, user_id, login, login_fold, hash || n.i, created_at, expires_at',
    }[of]
    const names = sql.raw(columns.replace(/ \+ 100000 \+ n\.i| \|\| n\.i/, ''))
    for (const [first, doneAt] of [
      [0, NOW - 60],
      [count, null],
    ] as const) {
      const deliveries = sql`WITH RECURSIVE n(i) AS (
        SELECT ${first} + 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${first + count})`
      if (of === 'push') {
        await execute(sql`${deliveries} INSERT INTO codehost_deliveries (id, event, bot_id, received_at, response)
          SELECT delivery_id + 100000 + n.i, 'push', ${admin.id}, ${NOW}, '' FROM n, codehost_pushes WHERE codehost_pushes.id = ${id}`)
      }
      await execute(sql`${deliveries} INSERT INTO ${sql.raw(TABLES[of])} (${names}, next_attempt_at, done_at)
        SELECT ${sql.raw(columns)}, ${NOW + 86_400}, ${doneAt} FROM n, ${sql.raw(TABLES[of])} w WHERE w.id = ${id}`)
    }
  }
})

describe('GET /undelivered', () => {
  test('lists the newest of all kinds first, in pages', async () => {
    const state = { lastError: 'no', doneAt: NOW }
    const [hook, push] = [
      await insertWork('webhook', bug, admin, { ...state, createdAt: NOW - 30 } as WorkState),
      await insertWork('push', bug, admin, { ...state, receivedAt: NOW - 20 } as WorkState),
    ]
    const [older, newest] = [
      await insertWork('notice', bug, admin, { ...state, happenedAt: NOW - 40 } as WorkState),
      await insertWork('notice', bug, admin, { ...state, happenedAt: NOW - 10 } as WorkState),
    ]
    const expected = [`mail-${newest}`, `push-${push}`, `webhook-${hook}`, `mail-${older}`]
    const ids = async (query: string) => (await listed(query)).map(({ id }) => id)
    expect(await ids('')).toEqual(expected)
    expect(await ids('?limit=3')).toEqual(expected.slice(0, 3))
    expect(await ids('?limit=2&offset=1')).toEqual(expected.slice(1, 3))
    expect(await ids('?limit=2&offset=9')).toEqual([])
  })

  test('shows the selected fields alone', async () => {
    await insert('notice', { lastError: 'no', doneAt: NOW })
    expect(Object.keys((await listed('?include_fields=id,attempts'))[0] ?? {})).toEqual([
      'id',
      'attempts',
    ])
  })

  test('reads no more than it lists of what was given up', async () => {
    await execute(
      sql`INSERT INTO api_key_mails (key_id, planned_at, expires_at, next_attempt_at, done_at, last_error)
        SELECT (SELECT min(id) FROM api_keys), 1, 1, 1, 1, 'refused'
        FROM json_each(${JSON.stringify(Array.from({ length: 3000 }, () => 0))})`,
    )
    expect((await get(admin, `${PATH}?limit=1`)).cost.read).toBeLessThan(1000)
    await execute(sql`DELETE FROM api_key_mails WHERE last_error = 'refused'`)
  })

  test('refuses everybody but administrators, before their parameters', async () => {
    expectFault(await get(ANYONE, `${PATH}?limit=x`), 401, 410)
    const person = await insertPerson({ roles: ['editusers', 'tweakparams', 'editbugs'] })
    expectFault(await get(person, `${PATH}?limit=x`), 401, 304)
    expectFault(await get(admin, `${PATH}?limit=x`), 400, 52, 'limit')
    expectFault(await get(admin, `${PATH}?offset=1`), 400, 50, 'limit')
    expectFault(await get(admin, `${PATH}?limit=1&offset=10001`), 400, 54, 'offset')
  })
})
