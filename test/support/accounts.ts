import { sql } from 'drizzle-orm'
import { jsonList } from '../../src/db/sql.ts'
import { sha256Hex } from '../../src/lib/secrets.ts'
import { ANYONE, get } from './client.ts'
import { write } from './people.ts'
import { type TestGroup, type TestPerson, unique } from './world.ts'

/** The row of an account. */
export async function accountOf(id: number): Promise<Record<string, unknown>> {
  const [rows = []] = await write(sql`SELECT * FROM users WHERE id = ${id}`)
  return rows[0] ?? {}
}

/**
 * How somebody belongs to these groups: by hand, by pattern, in effect; and which they may hand out. No
 * others are told, since patterns of other tests match too.
 */
export async function belonging(id: number, ...among: TestGroup[]) {
  const own = sql`user_id = ${id} AND group_id IN ${jsonList(among.map((one) => one.id))}`
  const ids = (rows: Record<string, unknown>[] = []) => rows.map((row) => row.id)
  const [direct, regexp, effective, blesses] = await write(
    sql`SELECT group_id AS id FROM group_members WHERE ${own} AND source = 'direct' ORDER BY 1`,
    sql`SELECT group_id AS id FROM group_members WHERE ${own} AND source = 'regexp' ORDER BY 1`,
    sql`SELECT group_id AS id FROM memberships WHERE ${own} ORDER BY 1`,
    sql`SELECT group_id AS id FROM group_blessers WHERE ${own} ORDER BY 1`,
  )
  return {
    direct: ids(direct),
    regexp: ids(regexp),
    effective: ids(effective),
    blesses: ids(blesses),
  }
}

/** Lets whose login matches belong to a group from now on. */
export async function setPattern({ id }: TestGroup, pattern: string): Promise<void> {
  await write(sql`UPDATE access_groups SET user_regexp = ${pattern} WHERE id = ${id}`)
}

/** A token of somebody, as a login would have made it. */
export async function tokenOf({ id }: Pick<TestPerson, 'id'>): Promise<string> {
  const token = `${id}-${unique('token')}`
  const at = Math.floor(Date.now() / 1000)
  await write(sql`INSERT INTO tokens (hash, user_id, created_at, last_used_at)
    VALUES (${await sha256Hex(token)}, ${id}, ${at}, ${at})`)
  return token
}

/** Whether a token still works. */
export async function isAlive(token: string): Promise<boolean> {
  return (await get(ANYONE, `/rest/whoami?token=${token}`)).status === 200
}

/** What a login with this password answers. */
export function logIn(login: string, password: string) {
  return get(ANYONE, `/rest/login?${new URLSearchParams({ login, password })}`)
}
