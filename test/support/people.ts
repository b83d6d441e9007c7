import { type SQL, sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Statement } from '../../src/db/commit.ts'
import { get, type Sender } from './client.ts'
import { askWith } from './service.ts'
import { runStatements } from './statements.ts'
import { person, type TestGroup, type TestPerson, unique } from './world.ts'

export function write(...statements: Statement[]) {
  return runStatements(statements)
}

/** People whose real names are the texts, and whose logins begin with them, in that order. */
export async function peopleCalled<const Names extends readonly string[]>(
  ...realNames: Names
): Promise<{ [Place in keyof Names]: TestPerson }> {
  const made: TestPerson[] = []
  for (const realName of realNames) {
    const one = await person({ realName })
    const login = `${realName.replaceAll(' ', '.')}@${unique('host')}.test`
    await write(sql`UPDATE users SET login = ${login}, login_fold = ${login.toLowerCase()}
      WHERE id = ${one.id}`)
    made.push({ ...one, login })
  }
  return made as { [Place in keyof Names]: TestPerson }
}

/** What members of one group are to get from another. */
export function grant(
  member: TestGroup,
  kind: 'membership' | 'bless' | 'visible',
  from: TestGroup,
): SQL {
  return sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
    VALUES (${member.id}, ${from.id}, ${kind})`
}

/** The IDs that a path below /rest/user answers, in order. */
export async function idsAt(path: string, who: Sender): Promise<number[]> {
  const answer = await get(who, `/rest/user${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users.map(({ id }: { id: number }) => id)
}

/** Somebody as somebody else is shown them. */
export async function shown(whom: TestPerson, who: Sender, query = '') {
  const { body } = await get(who, `/rest/user/${encodeURIComponent(whom.login)}${query}`)
  return body.users[0]
}

/** What a path below /rest/user answers under other settings. */
export async function askedWith(
  settings: object,
  who: TestPerson,
  path: string,
): Promise<{ users: { id: number }[]; code?: number; message?: string }> {
  const headers = { 'x-tracker-api-key': who.key }
  return (await askWith(settings, `/rest/user${path}`, { headers })).json()
}

/** The query string of these parameters. */
export function query(parameters: Record<string, string | number>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [name, String(value)])
  return `?${new URLSearchParams(pairs)}`
}
