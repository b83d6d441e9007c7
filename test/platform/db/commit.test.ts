import { env } from 'cloudflare:workers'
import { and, eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { loginRequired } from '../../../src/platform/access/faults.ts'
import {
  abortIf,
  abortUnlessChanged,
  commit,
  retryOnConflict,
  WriteConflict,
} from '../../../src/platform/db/commit.ts'
import { busy } from '../../../src/platform/db/faults.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { apiKeys, users } from '../../../src/platform/db/schema/users.ts'
import {
  type DbSession,
  openSession,
  type SessionHolder,
} from '../../../src/platform/db/session.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { fault } from '../../../src/platform/faults/fault.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { onPrimary } from '../../support/database/statements.ts'

function renameStatement(realName: string, id: number) {
  return db.update(users).set({ realName }).where(eq(users.id, id))
}

async function loadState(id: number, ctx: SessionHolder = onPrimary()) {
  const { people } = await readBatch(ctx, {
    people: db
      .select({ realName: users.realName, revision: users.revision })
      .from(users)
      .where(eq(users.id, id)),
  })
  return people[0] ?? { realName: '', revision: -1 }
}

describe('a commit', () => {
  test('writes its parts in their order in one round trip and returns the rows of each', async () => {
    const { id } = await insertPerson()
    const ctx = onPrimary()
    const rows = await commit(ctx, {
      name: renameStatement('First', id),
      nothing: undefined,
      revision: [
        db.update(users).set({ revision: 7 }).where(eq(users.id, id)).returning({ id: users.id }),
        sql`SELECT revision FROM users WHERE id = ${id}`,
      ],
      none: [],
      state: sql`SELECT real_name, revision FROM users WHERE id = ${id}`,
    })
    expect(rows).toEqual({
      name: [],
      nothing: [],
      revision: [{ id }, { revision: 7 }],
      none: [],
      state: [{ real_name: 'First', revision: 7 }],
    })
    expect(ctx.session.cost).toMatchObject({ trips: 1, statements: 4 })
    expect(ctx.session.cost.rowsWritten).toBeGreaterThan(0)
  })

  test('writes nothing when one of its statements fails', async () => {
    const { id } = await insertPerson()
    const before = await loadState(id)
    const writing = commit(onPrimary(), {
      name: renameStatement('Never', id),
      failure: sql`SELECT json_extract('{}', 'not a path')`,
    })
    await expect(writing).rejects.toThrow('not a path')
    expect(await loadState(id)).toEqual(before)
  })

  test('makes no round trip without statements', async () => {
    const ctx = onPrimary()
    expect(await commit(ctx, { none: [], nothing: undefined })).toEqual({ none: [], nothing: [] })
    expect(ctx.session.cost.trips).toBe(0)
  })

  test('is a conflict when a unique name was taken in between', async () => {
    const taken = await insertPerson()
    const login = uniqueName('other')
    const writing = commit(onPrimary(), {
      users: [
        db.insert(users).values({ login, loginFold: login, createdAt: 1 }),
        db.insert(users).values({ login: taken.login, loginFold: taken.login, createdAt: 1 }),
      ],
    })
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    const { people } = await readBatch(onPrimary(), {
      people: db.select({ id: users.id }).from(users).where(eq(users.login, login)),
    })
    expect(people).toEqual([])
  })

  test('is a conflict when a row that it refers to is gone', async () => {
    const writing = commit(onPrimary(), {
      key: db
        .insert(apiKeys)
        .values({ userId: 999_999_999, hash: uniqueName('h'), prefix: 'x', createdAt: 1 }),
    })
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
  })

  test('rethrows other errors unchanged', async () => {
    const writing = commit(onPrimary(), { none: sql`UPDATE no_such_table SET a = 1` })
    await expect(writing).rejects.toThrow('no such table')
    await expect(writing).rejects.not.toBeInstanceOf(WriteConflict)
  })
})

describe('a guard', () => {
  function reviseStatement(id: number, from: number) {
    return db
      .update(users)
      .set({ revision: from + 1 })
      .where(and(eq(users.id, id), eq(users.revision, from)))
  }

  test('allows a commit whose conditional update changed its row', async () => {
    const { id } = await insertPerson()
    await commit(onPrimary(), {
      revision: [reviseStatement(id, 0), abortUnlessChanged()],
      name: renameStatement('Second', id),
    })
    expect(await loadState(id)).toEqual({ realName: 'Second', revision: 1 })
  })

  test('fails the whole commit when the row has changed', async () => {
    const { id } = await insertPerson()
    const before = await loadState(id)
    const writing = commit(onPrimary(), {
      name: renameStatement('Never', id),
      revision: [reviseStatement(id, 5), abortUnlessChanged()],
    })
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    expect(await loadState(id)).toEqual(before)
  })

  test('can require another number of rows', async () => {
    const [one, two] = [await insertPerson(), await insertPerson()]
    const both = sql`UPDATE users SET revision = 3 WHERE id IN (${one.id}, ${two.id})`
    await commit(onPrimary(), { both: [both, abortUnlessChanged(2)] })
    const writing = commit(onPrimary(), { both: [both, abortUnlessChanged(1)] })
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    await commit(onPrimary(), {
      nobody: [sql`UPDATE users SET revision = 3 WHERE id = -1`, abortUnlessChanged(0)],
    })
  })

  test('can be any condition', async () => {
    const { id } = await insertPerson()
    await commit(onPrimary(), { guard: abortIf(sql`1 = 2`), name: renameStatement('Allowed', id) })
    const writing = commit(onPrimary(), {
      name: renameStatement('Never', id),
      guard: abortIf(sql`1 = 1`),
    })
    await expect(writing).rejects.toBeInstanceOf(WriteConflict)
    expect((await loadState(id)).realName).toBe('Allowed')
  })
})

describe('a write that meets a conflict', () => {
  test('is decided again on the newest state', async () => {
    const { id } = await insertPerson()
    let attempts = 0
    const result = await retryOnConflict(onPrimary(), async (ctx) => {
      attempts += 1
      const { revision } = await loadState(id, ctx)
      if (attempts === 1) {
        await commit(onPrimary(), {
          other: db.update(users).set({ revision: 40 }).where(eq(users.id, id)),
        })
      }
      await commit(ctx, {
        user: [
          db
            .update(users)
            .set({ revision: revision + 1 })
            .where(and(eq(users.id, id), eq(users.revision, revision))),
          abortUnlessChanged(),
        ],
      })
      return revision
    })
    expect({ attempts, result }).toEqual({ attempts: 2, result: 40 })
    expect((await loadState(id)).revision).toBe(41)
  })

  test('reads the primary in each further attempt, with the cost of all attempts in one session', async () => {
    const session = openSession(env.DB, 'first-unconstrained')
    const seen: DbSession[] = []
    await retryOnConflict({ session }, async (ctx) => {
      seen.push(ctx.session)
      if (seen.length < 3) {
        throw new WriteConflict()
      }
    })
    expect(seen.map(({ readsPrimary }) => readsPrimary)).toEqual([false, true, true])
    expect(seen.every(({ cost }) => cost === session.cost)).toBe(true)
  })

  test('succeeds among many writers of one row', async () => {
    const { id } = await insertPerson()
    await Promise.all(
      Array.from({ length: 20 }, () =>
        retryOnConflict(onPrimary(), async (ctx) => {
          const { revision } = await loadState(id, ctx)
          await commit(ctx, {
            user: [
              db
                .update(users)
                .set({ revision: revision + 1 })
                .where(and(eq(users.id, id), eq(users.revision, revision))),
              abortUnlessChanged(),
            ],
          })
        }),
      ),
    )
    expect((await loadState(id)).revision).toBe(20)
  })

  test('is repeated once even where the first attempt took all the time', async () => {
    let attempts = 0
    const result = await retryOnConflict(
      onPrimary(),
      async () => {
        attempts += 1
        await scheduler.wait(20)
        if (attempts === 1) {
          throw new WriteConflict()
        }
        return 'done'
      },
      10,
    )
    expect(result).toBe('done')
  })

  test('ends with the fault busy when every attempt conflicts', async () => {
    let attempts = 0
    const writing = retryOnConflict(
      onPrimary(),
      async () => {
        attempts += 1
        throw new WriteConflict()
      },
      200,
    )
    await expect(writing).rejects.toThrow(fault(busy).message)
    expect(attempts).toBeGreaterThan(1)
  })

  test('rethrows a fault at once', async () => {
    let attempts = 0
    const writing = retryOnConflict(onPrimary(), async () => {
      attempts += 1
      throw fault(loginRequired)
    })
    await expect(writing).rejects.toThrow(fault(loginRequired).message)
    expect(attempts).toBe(1)
  })
})
