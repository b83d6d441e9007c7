import { sql as drizzles, type SQL } from 'drizzle-orm'
import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import { describe, expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { tokens, users } from '../../../src/platform/db/schema/users.ts'
import {
  aliasColumns,
  allOf,
  anyOf,
  columnName,
  columnNames,
  containsText,
  db,
  jsonList,
  jsonRows,
  limitTo,
  newestId,
  sql,
  unionOf,
} from '../../../src/platform/db/sql.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'
import { onPrimary, runStatements } from '../../support/database/statements.ts'

/** What D1 makes of an expression. */
async function evaluate(expression: SQL): Promise<unknown> {
  const [rows] = await runStatements([sql`SELECT ${expression} AS value`])
  return rows?.[0]?.value
}

describe('the sql tag builds the same as that of drizzle', () => {
  const pieces = (own: typeof sql | typeof drizzles) => {
    const part = (n: number) => own`part ${n} of ${users} where login = ${'x'}`
    return own`${undefined}${part(1)}${part(2)} ${own.raw("'raw'")} ${own.identifier('a "b"')} ${null}
      ${own.join([part(3), part(4)], own`, `)} ${own.join([own`a`, own`b`])} ${own.join([])} ${[1, 2]}`
  }

  test('from values, tables, parts, names, lists and undefined', () => {
    const dialect = new SQLiteSyncDialect()
    expect(dialect.sqlToQuery(pieces(sql))).toEqual(dialect.sqlToQuery(pieces(drizzles)))
    expect(dialect.sqlToQuery(sql``)).toEqual(dialect.sqlToQuery(drizzles``))
  })

  test('with separate values for each use of one template', () => {
    const made = [1, 2].map((n) => compile(sql`SELECT ${n}`))
    expect(made).toEqual([
      { sql: 'SELECT ?1', params: [1] },
      { sql: 'SELECT ?1', params: [2] },
    ])
  })
})

describe('a column in raw SQL', () => {
  test('keeps its table in a select of one table, also inside a subquery with a column of that name', async () => {
    const { id } = await insertPerson()
    const { rows } = await readBatch(onPrimary(), {
      rows: db
        .select({
          tokens: sql<number>`(SELECT count(*) FROM tokens
          WHERE ${tokens.userId} = ${users.id})`.as('tokens'),
        })
        .from(users)
        .where(sql`${users.id} = ${id}`),
    })
    expect(rows).toEqual([{ tokens: 0 }])
    expect(compile(sql`${tokens.userId} = ${users.id}`).sql).toBe('tokens.user_id = users.id')
  })

  test('stands under the alias that the SQL gives its table', () => {
    const u = aliasColumns(users, 'u')
    expect(compile(sql`SELECT ${u.loginFold} FROM users u`).sql).toBe(
      'SELECT u.login_fold FROM users u',
    )
  })

  test('without their table, where a statement writes them', () => {
    const set = sql`UPDATE users SET ${columnName(users.loginFold)} = ${users.login}`
    expect(compile(set).sql).toBe('UPDATE users SET login_fold = users.login')
    expect(compile(columnNames(users.id, users.loginFold)).sql).toBe('id, login_fold')
  })
})

describe('a list as one parameter', () => {
  test('may be longer than the hundred parameters that D1 binds', async () => {
    const numbers = Array.from({ length: 2_000 }, (_, i) => i)
    expect(await evaluate(sql`1999 IN ${jsonList(numbers)}`)).toBe(1)
    expect(await evaluate(sql`2000 IN ${jsonList(numbers)}`)).toBe(0)
  })

  test('preserves texts', async () => {
    const texts = ["it's", '"quoted"', 'é😀', '', 'a,b']
    for (const text of texts) {
      expect(await evaluate(sql`${text} IN ${jsonList(texts)}`), text).toBe(1)
    }
    expect(await evaluate(sql`'a' IN ${jsonList(texts)}`)).toBe(0)
  })

  test('may be empty', async () => {
    expect(await evaluate(sql`1 IN ${jsonList([])}`)).toBe(0)
  })
})

describe('rows as one parameter', () => {
  test('can be selected from in their order', async () => {
    const rows = [
      { name: 'b', size: 2 },
      { name: null, size: 1 },
    ]
    const [found] = await runStatements([
      sql`SELECT r.key AS place, r.value ->> 'name' AS name, r.value ->> 'size' AS size
        FROM ${jsonRows(rows)} ORDER BY r.key`,
    ])
    expect(found).toEqual([
      { place: 0, name: 'b', size: 2 },
      { place: 1, name: null, size: 1 },
    ])
  })
})

describe('containsText', () => {
  test.each([
    ['the whole text', 'whole', 1],
    ['the whole text', 'xyz', 0],
    ['50% of_all', '0% o', 1],
    ['50% of_all', 'f.a', 0],
    ['anything', '', 1],
    ['x'.repeat(100), 'x'.repeat(80), 1],
  ])('%j contains %j: %s', async (text, part, expected) => {
    expect(await evaluate(containsText(sql`${text}`, part))).toBe(expected)
  })
})

describe('newestId', () => {
  test('is the ID of the row that was inserted last', async () => {
    await insertPerson()
    const { id } = await insertPerson()
    expect(await evaluate(newestId(users))).toBe(id)
  })
})

describe('anyOf and allOf', () => {
  const yes = sql`1`
  const no = sql`0`

  test.each([
    [[], 0, 1],
    [[yes], 1, 1],
    [[no], 0, 0],
    [[no, yes], 1, 0],
    [[yes, yes, yes], 1, 1],
    [[no, no, no, no], 0, 0],
  ])('of case %#: any is %s, all is %s', async (conditions, any, all) => {
    expect(await evaluate(anyOf(conditions))).toBe(any)
    expect(await evaluate(allOf(conditions))).toBe(all)
  })

  test('keep each condition in parentheses, so that an OR within it has no effect on others', async () => {
    const open = sql`1 OR 0`
    expect(await evaluate(allOf([open, no]))).toBe(0)
    expect(await evaluate(sql`${allOf([open])} AND 0`)).toBe(0)
    expect(await evaluate(sql`${anyOf([yes, open])} AND 0`)).toBe(0)
  })

  test('accept more conditions than the depth of expressions of SQLite', async () => {
    const many = Array.from({ length: 1_500 }, (_, i) => sql.raw(`7 = ${i}`))
    expect(await evaluate(anyOf(many))).toBe(1)
    expect(await evaluate(allOf(many))).toBe(0)
  })
})

test('limitTo binds the limit in an expression, so that SQLite does not plan each execution', async () => {
  expect(compile(sql`SELECT 1 ${limitTo(20)}`)).toEqual({
    sql: 'SELECT 1 LIMIT ?1 + 0',
    params: [20],
  })
  const numbers = sql`SELECT value FROM json_each('[1, 2, 3]')`
  expect(await evaluate(sql`(SELECT count(*) FROM (${numbers} ${limitTo(2)}))`)).toBe(2)
  expect(await evaluate(sql`(SELECT count(*) FROM (${numbers} ${limitTo(0)}))`)).toBe(0)
})

test.each([0, 1, 5, 6, 26, 130])('a union of %i selects has the rows of all', async (count) => {
  const selects = Array.from({ length: count }, (_, n) => sql`SELECT ${sql.raw(String(n))} AS n`)
  const rows = await execute(sql`SELECT * FROM (${unionOf(selects)})`)
  const values = rows.map((row) => Number(Object.values(row)[0])).toSorted((a, b) => a - b)
  expect(values).toEqual(Array.from({ length: count }, (_, n) => n))
})
