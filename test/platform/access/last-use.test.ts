import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { newTokenSecret, sha256Hex } from '../../../src/platform/lib/crypto/secrets.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestPerson } from '../../support/builders/types.ts'
import { NOW } from '../../support/builders/unique.ts'
import { fetchWith } from '../../support/clients/service.ts'
import { executeBatch } from '../../support/database/execute.ts'

const HOUR = 3600

async function useKey(key: string, ip = '192.0.2.30'): Promise<void> {
  const headers = { 'x-tracker-api-key': key, 'cf-connecting-ip': ip }
  expect((await fetchWith({}, '/rest/whoami', { headers })).status).toBe(200)
}

describe('the last use of a key', () => {
  async function lastUse(ann: TestPerson) {
    const [[row] = []] = await executeBatch(sql`SELECT last_used_at, last_used_ip, last_seen_at
      FROM api_keys JOIN users ON users.id = user_id WHERE user_id = ${ann.id}`)
    return row
  }

  test('is recorded after the answer, with the address', async () => {
    const ann = await insertPerson()
    const ip = '192.0.2.31'
    await useKey(ann.key, ip)
    const used = await lastUse(ann)
    expect(used).toMatchObject({ last_used_ip: ip })
    expect(used?.last_used_at).toBeGreaterThanOrEqual(NOW)
    expect(used?.last_seen_at).toBe(used?.last_used_at)
  })

  test('is recorded even when the call is rejected', async () => {
    const ann = await insertPerson()
    await fetchWith({}, '/rest/api_key/0', {
      method: 'DELETE',
      headers: { 'x-tracker-api-key': ann.key },
    })
    expect((await lastUse(ann))?.last_used_at).not.toBeNull()
  })

  test('is recorded at most once an hour', async () => {
    const ann = await insertPerson()
    const recent = NOW - HOUR / 2
    await executeBatch(sql`UPDATE api_keys SET last_used_at = ${recent} WHERE user_id = ${ann.id}`)
    await useKey(ann.key)
    expect((await lastUse(ann))?.last_used_at).toBe(recent)
    await executeBatch(
      sql`UPDATE api_keys SET last_used_at = ${NOW - HOUR - 60} WHERE user_id = ${ann.id}`,
    )
    await useKey(ann.key)
    expect((await lastUse(ann))?.last_used_at).toBeGreaterThanOrEqual(NOW)
  })
})

test('the last use of a token is recorded after the answer, at most once an hour', async () => {
  const { id } = await insertPerson()
  const token = `${id}-${newTokenSecret()}`
  const hash = await sha256Hex(token)
  const lastUse = async () => {
    const [[row] = []] = await executeBatch(
      sql`SELECT last_used_at FROM tokens WHERE hash = ${hash}`,
    )
    return Number(row?.last_used_at)
  }
  const [old, recent] = [NOW - 2 * HOUR, NOW - HOUR / 2]
  await executeBatch(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
    VALUES (${hash}, ${id}, ${old}, ${old})`)
  const use = () => fetchWith({}, '/rest/whoami', { headers: { 'x-tracker-token': token } })
  await use()
  expect(await lastUse()).toBeGreaterThanOrEqual(NOW)
  await executeBatch(sql`UPDATE tokens SET last_used_at = ${recent} WHERE hash = ${hash}`)
  await use()
  expect(await lastUse()).toBe(recent)
})
