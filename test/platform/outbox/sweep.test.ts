import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { getTableName, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { systemCtx } from '../../../src/platform/background.ts'
import type { QueueMessage } from '../../../src/platform/outbox/messages.ts'
import { OUTBOX_KINDS, OUTBOXES, type OutboxKind } from '../../../src/platform/outbox/outbox.ts'
import { deleteOldWork, sweepOutboxes } from '../../../src/platform/outbox/sweep.ts'
import { insertBug } from '../../support/builders/bugs.ts'
import { insertWork, type WorkState } from '../../support/builders/later-work.ts'
import { insertComment, insertNotice } from '../../support/builders/notices.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestBug, TestPerson } from '../../support/builders/types.ts'
import { execute, loadRow } from '../../support/database/execute.ts'

const DAY = 86_400

// a time that only these sweeps use keeps them away from the notices of other tests
const NOW = 1_000_000_000

/** Sweeps and tidies at `now` with the real queue, and returns the rows of a kind that were enqueued. */
async function sweep(now = NOW, kind: OutboxKind = 'notice'): Promise<number[]> {
  const enqueued: number[] = []
  const EVENTS = {
    sendBatch(messages: MessageSendRequest<QueueMessage>[]) {
      enqueued.push(...messages.flatMap(({ body }) => (body.kind === kind ? body.id : [])))
      return env.EVENTS.sendBatch(messages)
    },
  }
  const executionContext = createExecutionContext()
  const ctx = systemCtx({ ...env, EVENTS } as unknown as Env, executionContext)
  await sweepOutboxes({ ...ctx, now })
  await deleteOldWork({ ...ctx, now })
  await waitOnExecutionContext(executionContext)
  return enqueued
}

async function someBug(): Promise<{ about: TestBug; author: TestPerson }> {
  const author = await insertPerson()
  return { about: await insertBug({ reporter: author }), author }
}

test('a notice that was enqueued is left alone for a while, and enqueued again if that delivery was lost too', async () => {
  const { about, author } = await someBug()
  const state = { nextAttemptAt: NOW - 600, attempts: 1, leaseUntil: NOW - 60 }
  const left = await insertNotice(about, author, state)

  expect(await sweep(NOW)).toContain(left)
  expect(await sweep(NOW + 20)).not.toContain(left)
  expect(await sweep(NOW + 60)).toContain(left)
})

test('one run enqueues each of 350 notices that were being sent in a crash', async () => {
  const { about, author } = await someBug()
  const [newest] = await execute(sql`SELECT coalesce(max(id), 0) AS id FROM notices`)
  const first = Number(newest?.id)
  await execute(sql`INSERT INTO notices (bug_id, author_id, kind, happened_at, next_attempt_at, attempts, lease_until)
    SELECT ${about.id}, ${author.id}, 'changed', ${NOW}, ${NOW - 100_000}, 1, ${NOW - 1}
    FROM json_each(${JSON.stringify(Array.from({ length: 350 }, () => 0))})`)

  const enqueued = (await sweep()).filter((id) => id > first)
  expect(new Set(enqueued).size).toBe(350)
  await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE id > ${first}`)
})

test('one run enqueues one of any number of notices whose messages were lost', async () => {
  await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE done_at IS NULL`)
  const { about, author } = await someBug()
  const [later, first] = [
    await insertNotice(about, author, { nextAttemptAt: NOW - 60 }),
    await insertNotice(about, author, { nextAttemptAt: NOW - 600 }),
  ]
  expect(await sweep()).toEqual([first])
  await execute(sql`UPDATE notices SET done_at = ${NOW} WHERE id IN (${first}, ${later})`)
})

test('a notice is given up when the worker of every attempt died', async () => {
  const { about, author } = await someBug()
  const dead = await insertNotice(about, author, {
    nextAttemptAt: NOW - 600,
    attempts: OUTBOXES.notice.maxAttempts,
    leaseUntil: NOW - 1,
  })

  expect(await sweep()).not.toContain(dead)
  expect(await loadRow('notices', sql`id = ${dead}`)).toMatchObject({ done_at: NOW })
})

test('an old notice that was given up half-way is cleared away with the note of who had its mail', async () => {
  const { about, author } = await someBug()
  const old = await insertNotice(about, author, { id: -9, doneAt: NOW - 40 * DAY })
  await execute(sql`INSERT INTO notice_mails (notice_id, user_id) VALUES (${old}, ${author.id})`)

  await sweep()
  expect(await loadRow('notices', sql`id = ${old}`)).toBeUndefined()
  expect(await loadRow('notice_mails', sql`notice_id = ${old}`)).toBeUndefined()
})

test('notices done more than 32 days ago are deleted, and rows that refer to them keep their numbers', async () => {
  const { about, author } = await someBug()
  const old = await insertNotice(about, author, { id: -3, doneAt: NOW - 32 * DAY - 1 })
  const recent = await insertNotice(about, author, { id: -2, doneAt: NOW - 32 * DAY + 60 })
  const waiting = await insertNotice(about, author, { id: -1, nextAttemptAt: NOW })
  const comment = await insertComment(about, author, { noticeId: old, body: 'still here' })

  await sweep()

  expect(await loadRow('notices', sql`id = ${old}`)).toBeUndefined()
  expect(await loadRow('notices', sql`id = ${recent}`)).toBeDefined()
  expect(await loadRow('notices', sql`id = ${waiting}`)).toBeDefined()
  const [kept] = await execute(sql`SELECT notice_id FROM comments WHERE id = ${comment}`)
  expect(kept).toEqual({ notice_id: old })
})

describe.each(OUTBOX_KINDS)('the sweep of the kind %s', (kind) => {
  const { table, maxAttempts, keepSeconds } = OUTBOXES[kind]
  const load = (id: number) => loadRow(getTableName(table), sql`id = ${id}`)

  async function insert(state: WorkState): Promise<number> {
    const { about, author } = await someBug()
    return insertWork(kind, about, author, state)
  }

  test('enqueues rows that are overdue or were left by a dead worker, and no others', async () => {
    await execute(sql`UPDATE ${table} SET done_at = ${NOW} WHERE done_at IS NULL`)
    const overdue = [
      await insert({ nextAttemptAt: NOW - 600, attempts: 3, lastError: 'no' }),
      await insert({ nextAttemptAt: NOW - 600, attempts: 1, leaseUntil: NOW - 1 }),
    ]
    const others = [
      await insert({ nextAttemptAt: NOW - 29 }),
      await insert({ nextAttemptAt: NOW + 86_400 }),
      await insert({ nextAttemptAt: NOW - 600, attempts: 1, leaseUntil: NOW + 1 }),
      await insert({ nextAttemptAt: NOW - 600, doneAt: NOW - 500 }),
      await insert({ nextAttemptAt: NOW - 600, doneAt: NOW - 500, lastError: 'no' }),
    ]
    const enqueued = await sweep(NOW, kind)
    expect(enqueued.sort()).toEqual(overdue.sort())
    expect(enqueued.filter((id) => others.includes(id))).toEqual([])
  })

  test('gives up what died in its last attempt, and says why', async () => {
    const exhausted = { attempts: maxAttempts, nextAttemptAt: NOW - 600, leaseUntil: NOW - 1 }
    const [silent, told] = [
      await insert(exhausted),
      await insert({ ...exhausted, lastError: 'no' }),
    ]
    expect(await sweep(NOW, kind)).toEqual(expect.not.arrayContaining([silent, told]))
    expect(await load(silent)).toMatchObject({
      done_at: NOW,
      last_error: 'given up before an attempt ended',
    })
    expect(await load(told)).toMatchObject({ done_at: NOW, last_error: 'no' })
  })

  test('deletes rows that were done long ago, of kinds that are deleted', async () => {
    const keep = keepSeconds ?? 0
    const old = await insert({ id: -90, doneAt: NOW - keep - 60 })
    const recent = await insert({ id: -89, doneAt: NOW - keep + 60 })
    const waiting = await insert({ id: -88, nextAttemptAt: NOW + 60 })
    await sweep(NOW, kind)
    expect((await load(old)) === undefined).toBe(keepSeconds !== null)
    expect(await load(recent)).toBeDefined()
    expect(await load(waiting)).toBeDefined()
    await execute(sql`DELETE FROM ${table} WHERE id IN (-90, -89, -88)`)
  })
})

test('what waits for long, however much of it, holds up no deletion', async () => {
  const { about, author } = await someBug()
  const old = await insertWork('webhook', about, author, { id: -5, doneAt: NOW - 31 * DAY })
  await execute(sql`INSERT INTO webhook_deliveries (id, webhook_id, event, created_at, next_attempt_at)
    SELECT -10000 + key, (SELECT webhook_id FROM webhook_deliveries WHERE id = ${old}), 'ping', ${NOW}, ${NOW + DAY}
    FROM json_each(${JSON.stringify(Array.from({ length: 600 }, () => 0))})`)

  await sweep()

  expect(await loadRow('webhook_deliveries', sql`id = ${old}`)).toBeUndefined()
  const deleted = await execute(sql`DELETE FROM webhook_deliveries WHERE id < -9000 RETURNING id`)
  expect(deleted).toHaveLength(600)
})

test.each(['notice', 'webhook'] as const)(
  'a sweep reads no more rows of the kind %s where thousands more are due',
  async (kind) => {
    const { about, author } = await someBug()
    const first = await insertWork(kind, about, author, { nextAttemptAt: NOW - 600 })
    const countRead = async () => {
      const ctx = { ...systemCtx(env, createExecutionContext()), now: NOW }
      await sweepOutboxes(ctx)
      return ctx.session.cost.mostRead
    }
    const few = await countRead()
    const table = sql.raw(getTableName(OUTBOXES[kind].table))
    const column = sql.raw(
      kind === 'notice' ? 'author_id, kind, happened_at' : 'webhook_id, event, created_at',
    )
    const about5000 = JSON.stringify(Array.from({ length: 5000 }, () => 0))
    await execute(sql`INSERT INTO ${table} (bug_id, next_attempt_at, ${column})
      SELECT bug_id, next_attempt_at, ${column} FROM ${table}, json_each(${about5000}) WHERE ${table}.id = ${first}`)
    expect(await countRead()).toBeLessThan(few + 10)
    await execute(sql`DELETE FROM ${table} WHERE next_attempt_at = ${NOW - 600}`)
  },
)

test('one sweep takes two round trips for any number of rows', async () => {
  const { about, author } = await someBug()
  for (const kind of OUTBOX_KINDS) {
    await insertWork(kind, about, author, { nextAttemptAt: NOW - 600 })
  }
  const executionContext = createExecutionContext()
  const ctx = { ...systemCtx(env, executionContext), now: NOW }
  await sweepOutboxes(ctx)
  await waitOnExecutionContext(executionContext)
  expect(ctx.session.cost.trips).toBe(2)
})
