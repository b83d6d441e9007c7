import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { insertPerson } from '../../support/builders/people.ts'
import { uniqueName } from '../../support/builders/unique.ts'
import { ANYONE, get, post } from '../../support/client.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { execute } from '../../support/database/execute.ts'

async function lastFor(query: string): Promise<string | null> {
  return (await get(ANYONE, `/rest/last_audit_time${query}`)).body.last_audit_time
}

/** A class of objects of its own, changed at these moments. */
async function changedAt(...moments: number[]): Promise<string> {
  const name = uniqueName('Thing')
  await execute(
    ...moments.map(
      (at) => sql`INSERT INTO audit_log (happened_at, object_class, object_id, action)
        VALUES (${at}, ${name}, 1, 'update')`,
    ),
  )
  return name
}

describe('GET /last_audit_time', () => {
  test('finds the newest change of the named classes, in either spelling', async () => {
    const [one, two] = [
      await changedAt(1_600_000_000, 1_500_000_000),
      await changedAt(1_600_000_060, 1_400_000_000),
    ]

    expect(await lastFor(`?class=${one}`)).toBe('2020-09-13T12:26:40Z')
    expect(await lastFor(`?class=Bugzilla::${two}`)).toBe('2020-09-13T12:27:40Z')
    expect(await lastFor(`?class=${one}&class=Bugzilla::${two}`)).toBe('2020-09-13T12:27:40Z')
  })

  test('ignores unknown classes', async () => {
    const name = await changedAt(1_600_000_000)

    expect(await lastFor(`?class=Bugzilla::Bogus&class=${name}`)).toBe('2020-09-13T12:26:40Z')
  })

  test('finds the newest change of any class when none is named', async () => {
    const name = await changedAt(4_000_000_000)

    expect(await lastFor('')).toBe('2096-10-02T07:06:40Z')
    expect(await lastFor('?class=')).toBe('2096-10-02T07:06:40Z')
    await execute(sql`DELETE FROM audit_log WHERE object_class = ${name}`)
  })

  test('is null for a class that never changed', async () => {
    expect(await lastFor(`?class=${uniqueName('Never')}`)).toBeNull()
  })

  test('sees changes made through the service', async () => {
    const { body: key } = await post(await insertPerson(), '/rest/api_key', { description: 'x' })
    const [row] = await execute(sql`SELECT happened_at FROM audit_log
      WHERE object_class = 'APIKey' AND object_id = ${key.id}`)
    const last = Date.parse((await lastFor('?class=Bugzilla::APIKey')) ?? '') / 1000

    expect(row?.happened_at).toBeTypeOf('number')
    expect(last).toBeGreaterThanOrEqual(Number(row?.happened_at))
  })
})

describe('GET /last_audit_time', () => {
  test('costs as many rows however long the log is', async () => {
    const name = await changedAt(1_600_000_000)
    const read = async (query: string) =>
      (await get(ANYONE, `/rest/last_audit_time${query}`)).cost.read
    const before = [await read(''), await read(`?class=${name}`)]
    await execute(sql`INSERT INTO audit_log (happened_at, object_class, object_id, action)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
      SELECT i, ${name}, 1, 'update' FROM n`)

    expect(Math.max(...before)).toBeLessThan(5)
    expect([await read(''), await read(`?class=${name}`)]).toEqual(before)
  })
})

test('last_audit_time refuses anonymous callers where a login is required', async () => {
  expect((await fetchWith({ REQUIRE_LOGIN: 'on' }, '/rest/last_audit_time')).status).toBe(401)
})
