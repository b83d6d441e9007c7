import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { type Door, isBookmark, openDoor, WrongPremise } from '../../src/db/door.ts'

const BOOKMARK = '00000085-0000024c-00004c6d-8e61117bf38d7adb71b934ebbf891683'

describe('a bookmark from outside', () => {
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
    const door = openDoor(env.DB, { bookmark: BOOKMARK })
    const [result] = await door.send([door.prepare('SELECT 1 AS one')])
    expect(result?.results).toEqual([{ one: 1 }])
  })

  test('has the form of those that D1 gives', async () => {
    const door = openDoor(env.DB, 'first-primary')
    await door.send([door.prepare('SELECT 1 AS one')])
    expect(isBookmark(door.tally.bookmark ?? '')).toBe(true)
  })
})

describe('the tally of a door', () => {
  test('begins empty', () => {
    expect(openDoor(env.DB, 'first-primary').tally).toEqual({
      trips: 0,
      statements: 0,
      rowsRead: 0,
      rowsWritten: 0,
      sqlMs: 0,
      bookmark: null,
    })
  })

  test('counts trips, statements and what D1 says of rows', async () => {
    const door = openDoor(env.DB, 'first-primary')
    const add =
      'INSERT INTO login_failures (login_fold, ip, failed_at) VALUES (?, ?, 0) RETURNING id'
    await door.send([
      door.prepare(add).bind('somebody', '192.0.2.1'),
      door.prepare("SELECT 1 AS one FROM login_failures WHERE ip = '192.0.2.1' LIMIT 1"),
    ])
    await door.send([door.prepare('SELECT 1 AS one')])
    expect(door.tally).toMatchObject({ trips: 2, statements: 3 })
    expect(door.tally.rowsRead).toBeGreaterThan(0)
    expect(door.tally.rowsWritten).toBeGreaterThan(0)
  })

  test('counts a trip that failed', async () => {
    const door = openDoor(env.DB, 'first-primary')
    await expect(door.send([door.prepare('SELECT no_such_column')])).rejects.toThrow()
    expect(door.tally.trips).toBe(1)
  })

  test('is shared by the doors of one request', async () => {
    const door = openDoor(env.DB, 'first-unconstrained')
    const primary = door.toPrimary()
    await primary.send([primary.prepare('SELECT 1 AS one')])
    expect(door.tally.trips).toBe(1)
    const other = openDoor(env.DB, 'first-primary', { tally: door.tally })
    await other.send([other.prepare('SELECT 1 AS one')])
    expect(door.tally.trips).toBe(2)
  })
})

describe('a premise', () => {
  const opened = (answers: boolean[]) => {
    const premise = {
      statement: { sql: 'SELECT ?1 AS begun_on', params: ['it'] },
      holds: () => answers.shift() ?? false,
    }
    return openDoor(env.DB, 'first-primary', { premise })
  }
  const one = (door: Door) => door.send([door.prepare('SELECT 1 AS one')])

  test('is asked once, though several exchanges carry it', async () => {
    const answers = [true, false]
    const door = opened(answers)
    const all = await Promise.all([one(door), one(door), one(door.toPrimary())])
    expect(all.map(([first]) => first?.results)).toEqual([[{ one: 1 }], [{ one: 1 }], [{ one: 1 }]])
    expect(answers).toEqual([false])
    expect(door.tally).toMatchObject({ trips: 3, statements: 6 })
  })

  test('that did not hold never does, and is not asked again', async () => {
    const answers = [false, true]
    const door = opened(answers)
    for (const attempt of [() => one(door), () => door.confirm(), () => one(door.toPrimary())]) {
      await expect(attempt()).rejects.toThrow(WrongPremise)
    }
    expect(answers).toEqual([true])
    expect(door.tally).toMatchObject({ trips: 1, statements: 1 })
  })

  test('that did not hold stops those who were under way', async () => {
    const door = opened([false, true])
    const all = await Promise.allSettled([one(door), one(door)])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

describe('a door is at the primary', () => {
  test('when it began there', () => {
    expect(openDoor(env.DB, 'first-primary').atPrimary).toBe(true)
    expect(openDoor(env.DB, 'first-unconstrained').atPrimary).toBe(false)
    expect(openDoor(env.DB, { bookmark: BOOKMARK }).atPrimary).toBe(false)
    expect(openDoor(env.DB, 'first-unconstrained').toPrimary().atPrimary).toBe(true)
  })
})
