import { and, sql as drizzles, eq, inArray, isNull, or, type SQL } from 'drizzle-orm'
import { alias, SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { db } from '../../src/db/client.ts'
import { CompiledStatement, compile } from '../../src/db/compile.ts'
import { bugs } from '../../src/db/schema/bugs.ts'
import { users } from '../../src/db/schema/users.ts'
import { sql } from '../../src/db/sql.ts'

const dialect = new SQLiteSyncDialect()
const other = alias(users, 'other')
const inner = db.select({ id: users.id }).from(users).where(eq(users.login, 'x'))
const named = db.$with('named').as(inner)

/** The text with its parameters written out, however they are numbered. */
function spelled({ sql: text, params }: { sql: string; params: readonly unknown[] }): string {
  let next = 0
  return text.replaceAll(/'[^']*'|\?(\d*)/g, (found, number?: string) => {
    if (number === undefined) {
      return found
    }
    next += 1
    return `<${JSON.stringify(params[(number === '' ? next : Number(number)) - 1])}>`
  })
}

describe('a statement is compiled as drizzle would', () => {
  test.each<[string, SQL]>([
    ['text', sql`SELECT 'a?1', "b"`],
    ['values', sql`SELECT ${1}, ${'two'}, ${null}, ${true}, ${undefined}`],
    ['parts', sql`SELECT ${sql`${1} + ${sql.raw('2')}`} AS x`],
    ['names', sql`SELECT ${sql.identifier('a "b"')} FROM ${users} WHERE ${users.login} = ${'x'}`],
    ['lists', sql`SELECT 1 IN ${[1, 2, 3]}, ${[]}`],
    ['joined pieces', sql.join([sql`a`, sql`${1}`, sql`b`], sql`, `)],
    ['aliased tables', sql`SELECT ${other.login} FROM ${other}`],
    ['a param', sql`SELECT ${drizzles.param(7)}, ${drizzles.param(true, users.emailEnabled)}`],
    ['an alias', sql`SELECT 1 AS x ORDER BY ${sql`1`.as('x')}`],
    ['a query within', sql`SELECT (${inner})`],
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
    ['a select from a part', db.select().from(inner.as('part')).getSQL()],
    ['a select with a part', db.with(named).select().from(named).getSQL()],
    ['an insert', db.insert(users).values({ login: 'a', loginFold: 'a', createdAt: 1 }).getSQL()],
    ['an update', db.update(bugs).set({ summary: 's' }).where(eq(bugs.id, 1)).getSQL()],
    ['a deletion', db.delete(bugs).where(eq(bugs.id, 1)).getSQL()],
  ])('%s', (_, statement) => {
    expect(spelled(compile(statement))).toBe(spelled(dialect.sqlToQuery(statement)))
  })
})

test('a value is bound once, however often it is named, and values of other types beside it', () => {
  const { sql: text, params } = compile(sql`${7} ${'7'} ${7} ${true} ${null} ${'7'} ${null}`)
  expect({ text, params }).toEqual({ text: '?1 ?2 ?1 ?3 ?4 ?2 ?4', params: [7, '7', true, null] })
})

test('a whole statement is taken as it is, and refused as a piece of another', () => {
  const compiled = { sql: 'SELECT ?1', params: [1] }
  const whole = new CompiledStatement(compiled)
  expect(compile(whole)).toBe(compiled)
  expect(() => compile(sql`SELECT (${whole})`)).toThrow('no piece of another')
  expect(() => compile(sql`EXISTS ${inner} ${whole}`), 'by the dialect').toThrow('no piece')
})
