import { sql } from 'drizzle-orm'
import { beforeAll, expect, test } from 'vitest'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { insertProduct } from '../../support/builders/products.ts'
import type { TestPerson, TestProduct } from '../../support/builders/types.ts'
import { expectFault, get } from '../../support/client.ts'
import { execute } from '../../support/database/execute.ts'

let member: TestPerson
let place: TestProduct

beforeAll(async () => {
  member = await insertPerson()
  const group = await insertGroup([member])
  // hidden from the tests that read all products
  place = await insertProduct({
    controls: [{ group, entry: true, memberControl: 3, otherControl: 3 }],
  })
  await insertVersions(0, 20_000)
  return () => execute(sql`DELETE FROM versions WHERE product_id = ${place.id} AND is_default = 0`)
})

async function insertVersions(first: number, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, n) => first + n)
  await execute(sql`INSERT INTO versions (product_id, name, name_fold)
    SELECT ${place.id}, 'v' || value, 'v' || value FROM json_each(${JSON.stringify(numbers)})`)
}

const paths = () => [
  `/rest/product/${place.id}`,
  `/rest/configuration?product=${encodeURIComponent(place.name)}`,
  '/rest/field/bug/version',
]

test('as many values as one answer lists are answered, and of more those alone that are asked for', async () => {
  for (const path of paths()) {
    expect((await get(member, path)).status).toBe(200)
  }
  await insertVersions(20_000, 10_001)
  for (const path of paths()) {
    const answer = await get(member, path)
    expectFault(answer, 400, 1001)
    expect(answer.body.message).toMatch(/at most 30,000 values.*(Name|exclude_fields)/)
  }
  const { status, body } = await get(member, `/rest/product/${place.id}?exclude_fields=versions`)
  expect([status, body.products.length]).toEqual([200, 1])
  expect((await get(member, '/rest/field/bug?exclude_fields=values')).status).toBe(200)
})
