import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import {
  type DbSession,
  isBookmark,
  openSession,
  SessionCheckFailure,
} from '../../../src/platform/db/session.ts'

const BOOKMARK = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'

describe('a bookmark of a client', () => {
  test.each([
    [BOOKMARK, true],
    ['00000000-00000001-00000000-00000000000000000000000000000000', true],
    [BOOKMARK.toUpperCase(), false],
    [` ${BOOKMARK}`, false],
    [`${BOOKMARK}\n`, false],
    [`${BOOKMARK}0`, false],
    ['first-primary', false],
    ['first-unconstrained', false],
    ['', false],
  ])('%j is one: %s', (text, expected) => {
    expect(isBookmark(text)).toBe(expected)
  })

  test('opens a session that D1 accepts', async () => {
    const session = openSession(env.DB, { bookmark: BOOKMARK })
    const [result] = await session.send([session.prepare('SELECT 1 AS one')])
    expect(result?.results).toEqual([{ one: 1 }])
  })

  test('has the form of bookmarks of D1', async () => {
    const session = openSession(env.DB, 'first-primary')
    await session.send([session.prepare('SELECT 1 AS one')])
    expect(isBookmark(session.cost.bookmark ?? '')).toBe(true)
  })
})

describe('the cost of a session', () => {
  test('begins empty', () => {
    expect(openSession(env.DB, 'first-primary').cost).toEqual({
      trips: 0,
      statements: 0,
      rowsRead: 0,
      rowsWritten: 0,
      sqlMs: 0,
      longestMs: 0,
      mostRead: 0,
      bookmark: null,
    })
  })

  test('counts round trips, statements and the rows that D1 reports', async () => {
    const session = openSession(env.DB, 'first-primary')
    const add =
      'INSERT INTO login_failures (login_fold, ip, failed_at) VALUES (?, ?, 0) RETURNING id'
    await session.send([
      session.prepare(add).bind('somebody', '192.0.2.1'),
      session.prepare("SELECT 1 AS one FROM login_failures WHERE ip = '192.0.2.1' LIMIT 1"),
    ])
    await session.send([session.prepare('SELECT 1 AS one')])
    expect(session.cost).toMatchObject({ trips: 2, statements: 3 })
    expect(session.cost.rowsRead).toBeGreaterThan(0)
    expect(session.cost.rowsWritten).toBeGreaterThan(0)
  })

  test('knows the most rows that one statement read', async () => {
    const session = openSession(env.DB, 'first-primary')
    const read = (most: number) =>
      session.prepare(`SELECT count(*) FROM (SELECT 1 FROM field_values LIMIT ${most})`)
    await session.send([read(1), read(5), read(2)])
    expect(session.cost.mostRead).toBe(5)
    expect(session.cost.rowsRead).toBe(8)
    expect(session.cost.longestMs).toBeLessThanOrEqual(session.cost.sqlMs)
  })

  test('counts a round trip that failed', async () => {
    const session = openSession(env.DB, 'first-primary')
    await expect(session.send([session.prepare('SELECT no_such_column')])).rejects.toThrow()
    expect(session.cost.trips).toBe(1)
  })

  test('is shared by the sessions of one request', async () => {
    const session = openSession(env.DB, 'first-unconstrained')
    const primary = session.onPrimary()
    await primary.send([primary.prepare('SELECT 1 AS one')])
    expect(session.cost.trips).toBe(1)
    const other = openSession(env.DB, 'first-primary', { cost: session.cost })
    await other.send([other.prepare('SELECT 1 AS one')])
    expect(session.cost.trips).toBe(2)
  })
})

describe('the check of a session', () => {
  const openWithChecks = (answers: boolean[]) => {
    const check = {
      statement: { sql: 'SELECT ?1 AS begun_on', params: ['it'] },
      matches: () => answers.shift() ?? false,
    }
    return openSession(env.DB, 'first-primary', { check })
  }
  const one = (session: DbSession) => session.send([session.prepare('SELECT 1 AS one')])

  test('decides once although several batches carry it', async () => {
    const answers = [true, false]
    const session = openWithChecks(answers)
    const all = await Promise.all([one(session), one(session), one(session.onPrimary())])
    expect(all.map(([first]) => first?.results)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
    expect(answers).toEqual([false])
    expect(session.cost).toMatchObject({ trips: 3, statements: 6 })
  })

  test('fails permanently and does not run again', async () => {
    const answers = [false, true]
    const session = openWithChecks(answers)
    for (const attempt of [
      () => one(session),
      () => session.verify(),
      () => one(session.onPrimary()),
    ]) {
      await expect(attempt()).rejects.toThrow(SessionCheckFailure)
    }
    expect(answers).toEqual([true])
    expect(session.cost).toMatchObject({ trips: 1, statements: 1 })
  })

  test('stops the batches that were under way when it failed', async () => {
    const session = openWithChecks([false, true])
    const all = await Promise.allSettled([one(session), one(session)])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('a session reads the primary', () => {
  test('when it began there', () => {
    expect(openSession(env.DB, 'first-primary').readsPrimary).toBe(true)
    expect(openSession(env.DB, 'first-unconstrained').readsPrimary).toBe(false)
    expect(openSession(env.DB, { bookmark: BOOKMARK }).readsPrimary).toBe(false)
    expect(openSession(env.DB, 'first-unconstrained').onPrimary().readsPrimary).toBe(true)
  })
})
