import { expect } from 'vitest'
import type { TestPerson } from '../builders/types.ts'
import { ANYONE, get, type Sender } from '../client.ts'
import { fetchWith } from './service.ts'

/** The IDs that a path below /rest/user returns, in order. */
export async function readUserIds(path: string, who: Sender): Promise<number[]> {
  const answer = await get(who, `/rest/user${path}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.users.map(({ id }: { id: number }) => id)
}

/** A user as Get User returns them to the sender. */
export async function readUser(whom: TestPerson, who: Sender, query = '') {
  const { body } = await get(who, `/rest/user/${encodeURIComponent(whom.login)}${query}`)
  return body.users[0]
}

/** The answer of a path below /rest/user with other settings. */
export async function readUsersWith(
  settings: object,
  who: TestPerson,
  path: string,
): Promise<{ users: { id: number }[]; code?: number; message?: string }> {
  const headers = { 'x-tracker-api-key': who.key }
  return (await fetchWith(settings, `/rest/user${path}`, { headers })).json()
}

/** The query string of these parameters. */
export function buildQuery(parameters: Record<string, string | number>): string {
  const pairs = Object.entries(parameters).map(([name, value]) => [name, String(value)])
  return `?${new URLSearchParams(pairs)}`
}

/** Whether a token still works. */
export async function isTokenValid(token: string): Promise<boolean> {
  return (await get(ANYONE, `/rest/whoami?token=${token}`)).status === 200
}

/** Logs in and returns any answer. */
export function logIn(login: string, password: string) {
  return get(ANYONE, `/rest/login?${new URLSearchParams({ login, password })}`)
}

/** The IDs of the members of a group, ascending, as Get Group returns them to an administrator. */
export async function readMemberIds(who: TestPerson, groupId: number): Promise<number[]> {
  const { body } = await get(who, `/rest/group/${groupId}?membership=1`)
  return sortNumbers(body.groups[0].membership.map(({ id }: { id: number }) => id))
}

/** The numbers in ascending order. */
export function sortNumbers(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b)
}

/** A person as bugs and comments tell of them. */
export function detail({ id, login }: TestPerson, realName = `Person ${login}`, nick?: string) {
  return {
    id,
    real_name: realName,
    nick: nick ?? login.slice(0, login.indexOf('@')),
    name: login,
    email: login,
  }
}
