import { env } from 'cloudflare:workers'
import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { db } from '../../src/db/client.ts'
import {
  abortIf,
  abortUnlessChanged,
  commit,
  retryOnConflict,
  WriteConflict,
} from '../../src/db/commit.ts'
import { readBatch } from '../../src/db/read-batch.ts'
import { apiKeys, users } from '../../src/db/schema/users.ts'
import { type DbSession, openSession } from '../../src/db/session.ts'
import { fault } from '../../src/faults.ts'
import { insertPerson } from '../support/builders/people.ts'
import { uniqueName } from '../support/builders/unique.ts'

function session() {
  return openSession(env.DB, 'first-primary')
}

function named(realName: string, id: number) {
  return db.update(users).set({ realName }).where(eq(users.id, id))
}

async function stateOf(id: number, open: DbSession = session()) {
  const { people } = await readBatch(open, {
    people: db
      .select({ realName: users.realName, revision: users.revision })
      .from(users)
      .where(eq(users.id, id)),
  })
  return people[0] ?? { realName: '', revision: -1 }
}

describe('a commit', () => {
  test('writes all statements in one trip and answers the rows that each returned', async () => {
    const { id } = await insertPerson()
    const open = session()
    const rows = await commit(open, [
      named('First', id),
      db.update(users).set({ revision: 7 }).where(eq(users.id, id)).returning({ id: users.id }),
      sql`SELECT real_name, revision FROM users WHERE id = ${id}`,
    ])
    expect(rows).toEqual([[], [{ id }], [{ real_name: 'First', revision: 7 }]])
    expect(open.tally).toMatchObject({ trips: 1, statements: 3 })
    expect(open.tally.rowsWritten).toBeGreaterThan(0)
  })

  test('writes nothing when one of its statements fails', async () => {
    const { id } = await insertPerson()
    const before = await stateOf(id)
    const writing = commit(session(), [
      named('Never', id),
      sql`SELECT json_extract('{}', 'not a path')`,
    ])
    await expect(writing).rejects.toThrow('not a path')
    expect(await stateOf(id)).toEqual(before)
  })

  test('of nothing is no trip', async () => {
    const open = session()
    expect(await commit(open, [])).toEqual([])
    expect(open.tally.trips).toBe(0)
  })

  test('is stale when a unique name was taken in between', async () => {
    const taken = await insertPerson()
    const login = uniqueName('other')
    const writing = commit(session(), [
      db.insert(users).values({ login, loginFold: login, createdAt: 1 }),
      db.insert(users).values({ login: taken.login, loginFold: taken.login, createdAt: 1 }),
    ])
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    const { people } = await readBatch(session(), {
      people: db.select({ id: users.id }).from(users).where(eq(users.login, login)),
    })
    expect(people).toEqual([])
  })

  test('is stale when something that it refers to is gone', async () => {
    const writing = commit(session(), [
      db
        .insert(apiKeys)
        .values({ userId: 999_999_999, hash: uniqueName('h'), prefix: 'x', createdAt: 1 }),
    ])
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
  })

  test('passes other failures on as they are', async () => {
    const writing = commit(session(), [sql`UPDATE no_such_table SET a = 1`])
    await expect(writing).rejects.toThrow('no such table')
    await expect(writing).rejects.not.toBeInstanceOf(WriteConflict)
  })
})

describe('a guard', () => {
  function revised(id: number, from: number) {
    return db
      .update(users)
      .set({ revision: from + 1 })
      .where(and(eq(users.id, id), eq(users.revision, from)))
  }

  test('lets a commit pass whose update found what it was based on', async () => {
    const { id } = await insertPerson()
    await commit(session(), [revised(id, 0), abortUnlessChanged(), named('Second', id)])
    expect(await stateOf(id)).toEqual({ realName: 'Second', revision: 1 })
  })

  test('fails the whole commit otherwise', async () => {
    const { id } = await insertPerson()
    const before = await stateOf(id)
    const writing = commit(session(), [named('Never', id), revised(id, 5), abortUnlessChanged()])
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    expect(await stateOf(id)).toEqual(before)
  })

  test('can ask for another number of rows', async () => {
    const [one, two] = [await insertPerson(), await insertPerson()]
    const both = sql`UPDATE users SET revision = 3 WHERE id IN (${one.id}, ${two.id})`
    await commit(session(), [both, abortUnlessChanged(2)])
    await expect(commit(session(), [both, abortUnlessChanged(1)])).rejects.toBeInstanceOf(
      WriteConflict,
    )
    await commit(session(), [
      sql`UPDATE users SET revision = 3 WHERE id = -1`,
      abortUnlessChanged(0),
    ])
  })

  test('can be any condition', async () => {
    const { id } = await insertPerson()
    await commit(session(), [abortIf(sql`1 = 2`), named('Allowed', id)])
    const writing = commit(session(), [named('Never', id), abortIf(sql`1 = 1`)])
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    expect((await stateOf(id)).realName).toBe('Allowed')
  })
})

describe('until it is fresh', () => {
  test('a write is decided again on the newest state', async () => {
    const { id } = await insertPerson()
    let attempts = 0
    const result = await retryOnConflict(session(), async (open) => {
      attempts += 1
      const { revision } = await stateOf(id, open)
      if (attempts === 1) {
        await commit(session(), [db.update(users).set({ revision: 40 }).where(eq(users.id, id))])
      }
      await commit(open, [
        db
          .update(users)
          .set({ revision: revision + 1 })
          .where(and(eq(users.id, id), eq(users.revision, revision))),
        abortUnlessChanged(),
      ])
      return revision
    })
    expect({ attempts, result }).toEqual({ attempts: 2, result: 40 })
    expect((await stateOf(id)).revision).toBe(41)
  })

  test('each further attempt reads at the primary, on the tally of the request', async () => {
    const open = openSession(env.DB, 'first-unconstrained')
    const seen: DbSession[] = []
    await retryOnConflict(open, async (next) => {
      seen.push(next)
      if (seen.length < 3) {
        throw new WriteConflict()
      }
    })
    expect(seen.map(({ readsPrimary }) => readsPrimary)).toEqual([false, true, true])
    expect(seen.every(({ tally }) => tally === open.tally)).toBe(true)
  })

  test('many writers of one row all get through, one after the other', async () => {
    const { id } = await insertPerson()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        retryOnConflict(session(), async (open) => {
          const { revision } = await stateOf(id, open)
          await commit(open, [
            db
              .update(users)
              .set({ revision: revision + 1 })
              .where(and(eq(users.id, id), eq(users.revision, revision))),
            abortUnlessChanged(),
          ])
        }),
      ),
    )
    expect((await stateOf(id)).revision).toBe(20)
  })

  test('a write that never is ends as busy, so that the caller tries later', async () => {
    let attempts = 0
    const writing = retryOnConflict(
      session(),
      async () => {
        attempts += 1
        throw new WriteConflict()
      },
      200,
    )
    await expect(writing).rejects.toThrow(fault('busy').message)
    expect(attempts).toBeGreaterThan(1)
  })

  test('a refusal is passed on at once', async () => {
    let attempts = 0
    const writing = retryOnConflict(session(), async () => {
      attempts += 1
      throw fault('loginRequired')
    })
    await expect(writing).rejects.toThrow(fault('loginRequired').message)
    expect(attempts).toBe(1)
  })
})
