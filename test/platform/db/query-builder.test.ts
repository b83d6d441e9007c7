import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { users } from '../../../src/platform/db/schema/users.ts'
import { db } from '../../../src/platform/db/sql.ts'

test('the query builder builds statements, and cannot run one', async () => {
  const query = db.select({ id: users.id }).from(users).where(eq(users.id, 7))
  expect(query.toSQL()).toEqual({
    sql: 'select "id" from "users" where "users"."id" = ?',
    params: [7],
  })
  await expect((async () => query)()).rejects.toThrow()
})
