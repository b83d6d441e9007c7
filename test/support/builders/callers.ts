import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { sql } from 'drizzle-orm'
import type { Person } from '../../../src/platform/access/caller.ts'
import type { Role } from '../../../src/platform/access/roles.ts'
import { systemCtx } from '../../../src/platform/background.ts'
import type { Ctx } from '../../../src/platform/context.ts'
import type { DbSession } from '../../../src/platform/db/session.ts'
import { execute } from '../database/execute.ts'
import type { TestPerson } from './types.ts'

/** The caller that a person is to a verb, in no group. */
export function buildCaller(who: Pick<TestPerson, 'id' | 'login'>, roles: Role[] = []): Person {
  return {
    kind: 'person',
    id: who.id,
    login: who.login,
    realName: '',
    nick: null,
    groups: new Set(),
    roles: new Set(roles),
  }
}

/** The caller that a person is to a verb, in the groups that the database knows. */
export async function loadCaller(who: TestPerson, roles: Role[] = []): Promise<Person> {
  const rows = await execute(sql`SELECT group_id FROM memberships WHERE user_id = ${who.id}`)
  return { ...buildCaller(who, roles), groups: new Set(rows.map((row) => Number(row.group_id))) }
}

/** The context of a verb that a person calls through this session. */
export function buildCtx(who: TestPerson, roles: Role[], session: DbSession): Ctx {
  return {
    ...systemCtx(env, createExecutionContext()),
    caller: buildCaller(who, roles),
    session,
  }
}
