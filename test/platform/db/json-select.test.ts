import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { jsonSelect } from '../../../src/platform/db/json-select.ts'
import { readBatch } from '../../../src/platform/db/read-batch.ts'
import { users } from '../../../src/platform/db/schema/users.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { onPrimary } from '../../support/database/statements.ts'

const peopleList = jsonSelect({
  id: sql<number>`u.id`,
  login: sql<string>`u.login`,
  hasMail: sql`u.email_enabled`.mapWith(Boolean),
  seen: sql`u.last_seen_at`.mapWith(Boolean),
})

const numbers = (...values: unknown[]) => sql`FROM json_each(${JSON.stringify(values)}) n`

describe('JSON selects', () => {
  test('of one batch are one statement, apart from other selects', async () => {
    const [ann, bob] = [await insertPerson(), await insertPerson()]
    const ctx = onPrimary()
    const found = await readBatch(ctx, {
      anns: peopleList(sql`FROM users u WHERE u.id = ${ann.id}`),
      bobs: db.select({ id: users.id }).from(users).where(sql`users.id = ${bob.id}`),
      nobody: peopleList(sql`FROM users u WHERE u.id = ${-1}`),
      nothing: undefined,
    })
    expect(found).toEqual({
      anns: [{ id: ann.id, login: ann.login, hasMail: true, seen: null }],
      bobs: [{ id: bob.id }],
      nobody: [],
    })
    expect(ctx.session.cost).toMatchObject({ trips: 1, statements: 2 })
  })

  test('return rows in their order', async () => {
    const list = jsonSelect({ value: sql<number>`n.value` })
    const { found } = await readBatch(onPrimary(), {
      found: list(numbers(2, 10, 1), sql`n.value DESC`),
    })
    expect(found.map(({ value }) => value)).toEqual([10, 2, 1])
  })

  test('preserve values of every type', async () => {
    const list = jsonSelect({
      value: sql`n.value`,
      again: sql`n.value`,
      inner: sql<unknown[]>`json(json_array(n.value, ${7}))`,
    })
    const values = ['', 'ä "\\\n 🙂', '[1]', 0, -1.25, 2 ** 40, null]
    const { found } = await readBatch(onPrimary(), { found: list(numbers(...values), sql`n.key`) })
    expect(found).toEqual(values.map((value) => ({ value, again: value, inner: [value, 7] })))
  })

  test('bind a value once that several of them contain', async () => {
    const list = jsonSelect({ value: sql<number>`n.value` })
    const many = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `list${n}`,
        list(sql`${numbers(1, 2, 3)} WHERE n.value > ${1} AND n.value < ${3}`),
      ]),
    )
    const found = await readBatch(onPrimary(), many)
    expect(Object.keys(found)).toHaveLength(60)
    expect(new Set(Object.values(found).map((rows) => JSON.stringify(rows)))).toEqual(
      new Set(['[{"value":2}]']),
    )
  })

  test('have at most as many columns as a function of D1 has arguments', async () => {
    const wide = (width: number) =>
      jsonSelect(
        Object.fromEntries(Array.from({ length: width }, (_, n) => [`c${n}`, sql`n.value`])),
      )
    const { found } = await readBatch(onPrimary(), { found: wide(32)(numbers(1)) })
    expect(Object.values(found[0] ?? {})).toEqual(Array(32).fill(1))
    expect(() => wide(33)).toThrow('at most 32 columns')
  })
})
