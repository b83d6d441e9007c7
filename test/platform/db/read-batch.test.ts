import { eq, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { readBatch, selectOf } from '../../../src/platform/db/read-batch.ts'
import { groupMembers, groups } from '../../../src/platform/db/schema/groups.ts'
import { users } from '../../../src/platform/db/schema/users.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { onPrimary } from '../../support/database/statements.ts'

describe('a batch of reads', () => {
  test('returns the rows of each select under its name, in one round trip', async () => {
    const somebody = await insertPerson()
    const its = await insertGroup([somebody])
    const ctx = onPrimary()
    const found = await readBatch(ctx, {
      people: db
        .select({ id: users.id, enabled: users.emailEnabled })
        .from(users)
        .where(eq(users.id, somebody.id)),
      members: db
        .select({ groupId: groupMembers.groupId })
        .from(groupMembers)
        .where(eq(groupMembers.userId, somebody.id)),
      nobody: db.select({ id: users.id }).from(users).where(eq(users.id, -1)),
    })
    expect(found).toEqual({
      people: [{ id: somebody.id, enabled: true }],
      members: [{ groupId: its.id }],
      nobody: [],
    })
    expect(ctx.session.cost).toMatchObject({ trips: 1, statements: 3 })
  })

  test('accepts a select of named expressions', async () => {
    const somebody = await insertPerson()
    const { rows } = await readBatch(onPrimary(), {
      rows: selectOf(
        { key: sql<number>`users.id`, login: sql<string>`upper(users.login)` },
        sql`FROM users WHERE users.id = ${somebody.id}`,
      ),
    })
    expect(rows).toEqual([{ key: somebody.id, login: somebody.login.toUpperCase() }])
  })

  test('decodes named expressions by their mapWith, but not NULL', async () => {
    const somebody = await insertPerson()
    const { rows } = await readBatch(onPrimary(), {
      rows: selectOf(
        {
          hasMail: sql`users.email_enabled`.mapWith(Boolean),
          seen: sql`users.last_seen_at`.mapWith(Boolean),
        },
        sql`FROM users WHERE users.id = ${somebody.id}`,
      ),
    })
    expect(rows).toEqual([{ hasMail: true, seen: null }])
  })

  test('binds a repeated value once', async () => {
    const often = sql.join(
      Array.from({ length: 150 }, (_, n) => sql`${n % 2 === 0 ? 7 : '7'}`),
      sql`, `,
    )
    const { rows } = await readBatch(onPrimary(), {
      rows: selectOf(
        { number: sql<number>`${7}`, text: sql<string>`${'7'}` },
        sql`WHERE ${7} IN (${often}) AND ${8} NOT IN (${often})`,
      ),
    })
    expect(rows).toEqual([{ number: 7, text: '7' }])
  })

  test('has no rows for a name without a select', async () => {
    const ctx = onPrimary()
    const found = await readBatch(ctx, {
      people: db.select({ id: users.id }).from(users).where(eq(users.id, -1)),
      others: undefined,
    })
    expect(found).toEqual({ people: [] })
    expect(ctx.session.cost.statements).toBe(1)
  })

  test('makes no round trip without selects', async () => {
    const ctx = onPrimary()
    expect(await readBatch(ctx, {})).toEqual({})
    expect(ctx.session.cost.trips).toBe(0)
  })
})

describe('a select is rejected before it is sent', () => {
  test('with two columns of one name, whose values would be shifted', async () => {
    const ctx = onPrimary()
    const reading = readBatch(ctx, {
      members: db
        .select({ userId: users.id, groupId: groups.id })
        .from(groupMembers)
        .innerJoin(users, eq(users.id, groupMembers.userId))
        .innerJoin(groups, eq(groups.id, groupMembers.groupId)),
    })
    await expect(reading).rejects.toThrow("The select 'members' has two columns named 'id'")
    expect(ctx.session.cost.trips).toBe(0)
  })

  test('with an alias that repeats the name of a column', async () => {
    const reading = readBatch(onPrimary(), {
      people: db.select({ id: users.id, other: sql<number>`1`.as('id') }).from(users),
    })
    await expect(reading).rejects.toThrow("'id'")
  })

  test('with an expression that has no name', async () => {
    const reading = readBatch(onPrimary(), {
      people: db.select({ number: sql<number>`1 + 1` }).from(users),
    })
    await expect(reading).rejects.toThrow("'number' is an expression without a name")
  })
})
