import { and, sql as drizzles, eq, inArray, isNull, or, type SQL } from 'drizzle-orm'
import { alias, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import {
  appendChunk,
  decoderOf,
  decodeValue,
  emptySql,
  limitExpression,
  queryBuilder,
  renderByDialect,
  selectedColumns,
  textChunk,
  valueChunk,
  writeSql,
} from '../../../src/platform/db/drizzle-internals.ts'
import { bugs } from '../../../src/platform/db/schema/bugs.ts'
import { users } from '../../../src/platform/db/schema/users.ts'
import { sql } from '../../../src/platform/db/sql.ts'

/** The result of drizzle itself, which everything here is compared with. */
const dialect = new SQLiteSyncDialect()
const db = queryBuilder()
const other = alias(users, 'other')
const inner = db.select({ id: users.id }).from(users).where(eq(users.login, 'x'))
const named = db.$with('named').as(inner)

/** Writes a piece as this service does, each parameter as drizzle writes one. */
function renderByWriter(piece: SQL) {
  const sink = {
    text: '',
    params: [] as unknown[],
    bind(value: unknown) {
      sink.text += '?'
      sink.params.push(value)
    },
  }
  const isComplete = writeSql(piece, sink)
  return { isComplete, sql: sink.text, params: sink.params }
}

function renderByDrizzle(piece: SQL) {
  const { sql: text, params } = dialect.sqlToQuery(piece)
  return { sql: text, params }
}

describe('writeSql renders as the dialect of drizzle:', () => {
  test.each<[string, SQL]>([
    ['text', sql`SELECT 'a?1', "b"`],
    ['values', sql`SELECT ${1}, ${'two'}, ${null}, ${true}, ${undefined}`],
    ['parts', sql`SELECT ${sql`${1} + ${sql.raw('2')}`} AS x`],
    ['names', sql`SELECT ${sql.identifier('a "b"')} FROM ${users} WHERE ${users.login} = ${'x'}`],
    ['lists', sql`SELECT 1 IN ${[1, 2, 3]}, ${[]}`],
    ['joined pieces', sql.join([sql`a`, sql`${1}`, sql`b`], sql`, `)],
    ['a table under an alias', sql`SELECT ${other.login} FROM ${other}`],
    ['a parameter', sql`SELECT ${drizzles.param(7)}, ${drizzles.param(true, users.emailEnabled)}`],
    ['an alias', sql`SELECT 1 AS x ORDER BY ${sql`1`.as('x')}`],
    ['a piece of drizzle’s own tag', drizzles`SELECT ${1} FROM ${users}`],
    [
      'a select',
      db
        .select({ id: users.id, on: users.emailEnabled, n: sql`${5}`.as('n') })
        .from(users)
        .leftJoin(other, eq(other.id, users.id))
        .where(and(inArray(users.id, [1, 2]), or(isNull(users.nick), eq(users.emailEnabled, true))))
        .orderBy(users.login)
        .limit(3)
        .offset(4)
        .getSQL(),
    ],
    ['an insert', db.insert(users).values({ login: 'a', loginFold: 'a', createdAt: 1 }).getSQL()],
    ['an update', db.update(bugs).set({ summary: 's' }).where(eq(bugs.id, 1)).getSQL()],
    ['a deletion', db.delete(bugs).where(eq(bugs.id, 1)).getSQL()],
  ])('%s', (_, piece) => {
    expect(renderByWriter(piece)).toEqual({ isComplete: true, ...renderByDrizzle(piece) })
  })

  test.each<[string, SQL]>([
    ['a query within', sql`SELECT (${inner})`],
    ['a select from a part', db.select().from(inner.as('part')).getSQL()],
    ['a select with a part', db.with(named).select().from(named).getSQL()],
    ['an object as a value', sql`SELECT ${new Date(0)}`],
  ])('%s is left to the dialect, which numbers its parameters', (_, piece) => {
    expect(renderByWriter(piece).isComplete).toBe(false)
    const { sql: text, params } = renderByDrizzle(piece)
    let next = 0
    const numbered = text.replaceAll('?', () => {
      next += 1
      return `?${next}`
    })
    expect(renderByDialect(piece)).toEqual({ sql: numbered, params })
  })
})

describe('a piece that is built chunk by chunk', () => {
  test('is the one that drizzle’s tag builds', () => {
    const own = emptySql()
    for (const chunk of [
      textChunk('SELECT '),
      1,
      textChunk(', '),
      users.login,
      sql` FROM ${users}`,
    ]) {
      appendChunk(own, chunk)
    }
    expect(renderByDrizzle(own)).toEqual(
      renderByDrizzle(drizzles`SELECT ${1}, ${users.login} FROM ${users}`),
    )
  })

  test('begins empty, and shares no chunks with another', () => {
    appendChunk(emptySql(), textChunk('x'))
    expect(renderByDrizzle(emptySql())).toEqual({ sql: '', params: [] })
  })

  test('binds a value chunk as drizzle binds the value', () => {
    const own = emptySql()
    appendChunk(own, valueChunk(7))
    expect(renderByDrizzle(own)).toEqual(renderByDrizzle(drizzles`${7}`))
    expect(renderByWriter(own)).toEqual({ isComplete: true, ...renderByDrizzle(own) })
  })
})

describe('an expression as a limit', () => {
  test('is rendered where drizzle renders a number', () => {
    const select = db
      .select({ id: users.id })
      .from(users)
      .limit(limitExpression(sql`${2} + ${1}`))
    expect(select.toSQL()).toEqual({
      sql: 'select "id" from "users" limit ? + ?',
      params: [2, 1],
    })
  })
})

describe('the columns of a select', () => {
  const select = db
    .select({
      id: users.id,
      isOn: users.emailEnabled,
      isSeen: sql`last_seen_at`.mapWith(Boolean).as('is_seen'),
      again: sql`login`.mapWith(users.login).as('again'),
      nick: users.nick,
    })
    .from(users)
  const results = [
    { id: 7, email_enabled: 1, is_seen: 5, again: 'ann', nick: null },
    { id: 8, email_enabled: 0, is_seen: null, again: 'bob', nick: 'b' },
  ]

  /** Rows as D1 returns them for what drizzle prepares: it reads them by their place. */
  const ofD1 = (rows: Record<string, unknown>[]) => ({ results: rows }) as D1Result<unknown>

  test('decode rows as drizzle maps them', () => {
    const rows = results.map((row: Record<string, unknown>) =>
      Object.fromEntries(
        selectedColumns(select).map(({ key, name, decode }) => [
          key,
          decodeValue(row[name], decode),
        ]),
      ),
    )
    expect(rows).toEqual(select.prepare().mapResult(ofD1(results), true))
    expect(rows[0]).toEqual({ id: 7, isOn: true, isSeen: true, again: 'ann', nick: null })
  })

  test('have the order and the names of the statement', () => {
    const names = selectedColumns(select).map(({ name }) => name)
    expect(names).toEqual(Object.keys(results[0] ?? {}))
    expect(select.toSQL().sql).toBe(
      'select "id", "email_enabled", last_seen_at as "is_seen", login as "again", "nick" from "users"',
    )
  })

  test('have no decoder for values that need no conversion', () => {
    const decoded = selectedColumns(select).filter(({ decode }) => decode !== null)
    expect(decoded.map(({ key }) => key)).toEqual(['isOn', 'isSeen', 'again'])
  })

  test('are rejected when rows would have parts', () => {
    const parts = db.select({ id: users.id, who: { login: users.login } }).from(users)
    expect(() => selectedColumns(parts)).toThrow("'who' is a part")
  })

  test('are rejected when an expression among them has no name', () => {
    const nameless = db.select({ number: sql<number>`1 + 1` }).from(users)
    expect(() => selectedColumns(nameless)).toThrow("'number' is an expression without a name")
  })
})

test('an expression is decoded by its mapWith, and left as it is without one', () => {
  expect(decoderOf(sql`1`)).toBeNull()
  expect(decoderOf(drizzles`1`)).toBeNull()
  expect(decoderOf(sql`1`.mapWith(Boolean))?.(1)).toBe(true)
  expect(decoderOf(sql`1`.mapWith(users.emailEnabled))?.(1)).toBe(true)
})

test('null is never decoded', () => {
  expect(decodeValue(null, () => 'decoded')).toBeNull()
  expect(decodeValue(0, () => 'decoded')).toBe('decoded')
  expect(decodeValue(0, null)).toBe(0)
})

test('the query builder renders a statement and sends none', async () => {
  const select = db.select({ id: users.id }).from(users).where(eq(users.id, 7))
  expect(select.toSQL().params).toEqual([7])
  await expect(Promise.resolve(select)).rejects.toThrow()
})
