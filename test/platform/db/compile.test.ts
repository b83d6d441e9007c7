import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { compile } from '../../../src/platform/db/compile.ts'
import { users } from '../../../src/platform/db/schema/users.ts'
import { db, sql } from '../../../src/platform/db/sql.ts'

const inner = db.select({ id: users.id }).from(users).where(eq(users.login, 'x'))

test('a repeated value is bound once, separately for each type', () => {
  const { sql: text, params } = compile(sql`${7} ${'7'} ${7} ${true} ${null} ${'7'} ${null}`)
  expect({ text, params }).toEqual({ text: '?1 ?2 ?1 ?3 ?4 ?2 ?4', params: [7, '7', true, null] })
})

test('a statement with a subquery of the query builder has its parameters in order', () => {
  expect(compile(sql`SELECT ${7}, (${inner}), ${'y'}`)).toEqual({
    sql: 'SELECT ?1, ((select "id" from "users" where "users"."login" = ?2)), ?3',
    params: [7, 'x', 'y'],
  })
})
