import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { commit, retryOnConflict, WriteConflict } from '../../../src/platform/db/commit.ts'
import {
  answerStatements,
  IDEMPOTENCY_SECONDS,
  RepeatedRequest,
  selectIdempotencyRecord,
  withIdempotencyRecord,
} from '../../../src/platform/db/idempotency.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { type IdempotencyRecord, openSession } from '../../../src/platform/db/session.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { NOW, uniqueName } from '../../support/builders/unique.ts'
import { countRows } from '../../support/database/execute.ts'

async function buildRecord(more: Partial<IdempotencyRecord> = {}): Promise<IdempotencyRecord> {
  return {
    userId: (await insertPerson()).id,
    operation: 'POST /probe',
    key: uniqueName('key'),
    fingerprint: 'one',
    now: NOW,
    isWritten: false,
    hasAnswer: false,
    ...more,
  }
}

function openHolder(record: IdempotencyRecord) {
  return { session: withIdempotencyRecord(openSession(env.DB, 'first-primary'), record) }
}

function insertFailure(login: string) {
  return sql`INSERT INTO login_failures (login_fold, ip, failed_at) VALUES (${login}, '::1', 0) RETURNING ip`
}

async function loadRecord(record: IdempotencyRecord) {
  const { rows } = await readBatch(openHolder(record), { rows: selectIdempotencyRecord(record) })
  return rows
}

describe('the first commit of a session with a record', () => {
  test('writes the record and the parts together, and returns the rows of the parts alone', async () => {
    const record = await buildRecord()
    const holder = openHolder(record)
    const login = uniqueName('login')
    const rows = await commit(holder, {
      part: insertFailure(login),
      answer: answerStatements(holder, sql`json_object('id', 7)`),
    })
    expect(rows).toEqual({ part: [{ ip: '::1' }], answer: [] })
    expect(await loadRecord(record)).toEqual([
      { fingerprint: 'one', createdAt: NOW, answer: '{"id":7}' },
    ])
    expect(record).toMatchObject({ isWritten: true, hasAnswer: true })
  })

  test('writes it once, also when a later commit follows or the session moves to the primary', async () => {
    const record = await buildRecord()
    const holder = openHolder(record)
    await commit(holder, { part: insertFailure(uniqueName('login')) })
    const moved = { session: holder.session.onPrimary() }
    await commit(moved, { part: insertFailure(uniqueName('login')) })
    expect(await loadRecord(record)).toHaveLength(1)
  })

  test('writes nothing of it when there is nothing to commit', async () => {
    const record = await buildRecord()
    await commit(openHolder(record), { part: [] })
    expect(record.isWritten).toBe(false)
    expect(await loadRecord(record)).toEqual([])
  })

  test('fails as a repeated request, which no retry tries again, and writes nothing', async () => {
    const record = await buildRecord()
    await commit(openHolder(record), { part: insertFailure(uniqueName('login')) })
    const login = uniqueName('login')
    let attempts = 0
    const repeated = retryOnConflict(
      openHolder({ ...record, isWritten: false }),
      async (holder) => {
        attempts += 1
        await commit(holder, { part: insertFailure(login) })
      },
    )
    await expect(repeated).rejects.toThrow(RepeatedRequest)
    expect(attempts).toBe(1)
    expect(await countRows('login_failures', sql`login_fold = ${login}`)).toBe(0)
  })

  test('leaves no record behind when a part fails', async () => {
    const record = await buildRecord()
    const duplicate = sql`INSERT INTO users (id, login, login_fold, created_at) VALUES (${record.userId}, 'x', 'x', 0)`
    await expect(commit(openHolder(record), { duplicate })).rejects.toThrow(WriteConflict)
    expect(await loadRecord(record)).toEqual([])
  })

  test('takes the place of a record that has expired', async () => {
    const record = await buildRecord()
    await commit(openHolder(record), { part: insertFailure(uniqueName('login')) })
    const next = { ...record, now: NOW + IDEMPOTENCY_SECONDS, fingerprint: 'two', isWritten: false }
    expect(await loadRecord(next)).toEqual([])
    await commit(openHolder(next), { part: insertFailure(uniqueName('login')) })
    expect(await loadRecord(next)).toMatchObject([{ fingerprint: 'two' }])
  })
})

test('a session without a record stores no answer', () => {
  const session = openSession(env.DB, 'first-primary')
  expect(answerStatements({ session }, sql`1`)).toEqual([])
})
