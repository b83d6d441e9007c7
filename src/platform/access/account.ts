import type { SQL } from 'drizzle-orm'
import { groups as groupsTable, memberships } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import { aliasColumns, sql } from '../db/sql.ts'
import { fault } from '../faults/fault.ts'
import { pick } from '../lib/pick.ts'
import type { Person } from './caller.ts'
import { accountDisabled } from './faults.ts'
import type { Role } from './roles.ts'

const m = aliasColumns(memberships, 'm')
const g = aliasColumns(groupsTable, 'g')

/** The columns of an account that a caller is made from, for a select that joins `users`. */
export const accountColumns = {
  userId: sql<number>`${users.id}`.as('user_id'),
  ...pick(users, 'login', 'realName', 'nick', 'loginDeniedText', 'lastSeenAt'),
  groups: groupsOfUser().as('member_of'),
}

/** The same columns for `selectOf`. */
export const ACCOUNT_EXPRESSIONS: { readonly [Name in keyof AccountRow]: SQL<AccountRow[Name]> } = {
  userId: sql`${users.id}`,
  login: sql`${users.login}`,
  realName: sql`${users.realName}`,
  nick: sql`${users.nick}`,
  loginDeniedText: sql`${users.loginDeniedText}`,
  lastSeenAt: sql`${users.lastSeenAt}`,
  groups: groupsOfUser(),
}

export type AccountRow = {
  userId: number
  login: string
  realName: string
  nick: string | null
  loginDeniedText: string
  lastSeenAt: number | null
  /** JSON: pairs of group ID and role (null for ordinary groups). */
  groups: string
}

/** The person of an account; refuses a disabled one. */
export function requireEnabledPerson(row: AccountRow): Person {
  if (row.loginDeniedText !== '') {
    throw fault(accountDisabled, { reason: row.loginDeniedText })
  }
  const groups = JSON.parse(row.groups) as [number, Role | null][]
  return {
    kind: 'person',
    id: row.userId,
    ...pick(row, 'login', 'realName', 'nick'),
    groups: new Set(groups.map(([id]) => id)),
    roles: new Set(groups.flatMap(([, role]) => role ?? [])),
  }
}

function groupsOfUser(): SQL<string> {
  return sql<string>`(
    SELECT json_group_array(json_array(${m.groupId}, ${g.role}))
    FROM memberships m JOIN access_groups g ON ${g.id} = ${m.groupId}
    WHERE ${m.userId} = ${users.id})`
}
