import { asc, ne, type SQL, type SQLWrapper } from 'drizzle-orm'
import { abortIf, type Statement } from '../db/commit.ts'
import { groupMembers, groups, memberships } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import { aliasColumns, columnNames, db, jsonList, jsonRows, sql } from '../db/sql.ts'
import { compilePattern, type Pattern } from '../lib/pattern.ts'
import { pick } from '../lib/pick.ts'
import { Pauses } from '../load/pauses.ts'
import { recomputeMembershipsStatements } from './membership.ts'

const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')

/**
 * Membership by pattern: people whose login matches the pattern of a group belong to the group. A change of
 * a pattern and a change of a login each update their own rows in their commit, which is a conflict when
 * the other has happened since it was read.
 */

/** The logins of a range of accounts: of all behind `afterId`, or of those up to the last of `rows`. */
export type LoginRange = {
  readonly afterId: number
  readonly rows: readonly LoginRow[]
  readonly isLast: boolean
}

type LoginRow = { readonly id: number; readonly loginFold: string; readonly revision: number }

type GroupPattern = { readonly id: number; readonly userRegexp: string }

/** Patterns that are compiled, and steps that one takes over logins, between two pauses: some hundredths of a second. */
const COMPILED_AT_ONCE = 50
const COMPARED_AT_ONCE = 2_000_000

/** Selects the next logins behind an account: a `LoginRange`, whose last has fewer than `limit`. */
export function selectLoginsAfter(afterId: number | SQL, limit: number) {
  return db
    .select(pick(users, 'id', 'loginFold', 'revision'))
    .from(users)
    .where(sql`${users.id} > ${afterId}`)
    .orderBy(asc(users.id))
    .limit(limit)
}

/**
 * Replaces the members by pattern of the groups, among these accounts, with those whose login matches (none for null),
 * and recomputes their effective membership. Aborts as a conflict when an account of the range was created or changed
 * since the logins were read.
 */
export async function rederiveGroupsStatements(
  groupIds: readonly number[] | SQL,
  pattern: Pattern | null,
  logins: LoginRange,
): Promise<Statement[]> {
  const ids = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  const list = jsonList(pattern === null ? [] : await findMatchingLogins(pattern, logins.rows))
  return [
    abortIf(loginsChangedCondition(logins)),
    sql`DELETE FROM group_members WHERE ${groupMembers.groupId} IN ${ids} AND ${groupMembers.source} = 'regexp'
      AND ${isInRange(groupMembers.userId, logins)} AND ${groupMembers.userId} NOT IN ${list}`,
    sql`INSERT OR IGNORE INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      SELECT ${users.id}, ${groups.id}, 'regexp' FROM users JOIN access_groups
      WHERE ${users.id} IN ${list} AND ${groups.id} IN ${ids}`,
    // people who lose or gain a group this way were members before, or are members by pattern now
    ...recomputeMembershipsStatements(sql`(SELECT ${memberships.userId} FROM memberships
      WHERE ${memberships.groupId} IN ${ids} AND ${isInRange(memberships.userId, logins)}
      UNION SELECT ${groupMembers.userId} FROM group_members
      WHERE ${groupMembers.groupId} IN ${ids} AND ${groupMembers.source} = 'regexp' AND ${isInRange(groupMembers.userId, logins)})`),
  ]
}

async function findMatchingLogins(pattern: Pattern, rows: readonly LoginRow[]): Promise<number[]> {
  const pauses = new Pauses(COMPARED_AT_ONCE)
  const ids: number[] = []
  for (const { id, loginFold } of rows) {
    await pauses.pauseBefore(pattern.size * loginFold.length)
    if (pattern.matches(loginFold)) {
      ids.push(id)
    }
  }
  return ids
}

export function selectGroupPatterns() {
  return db
    .select({ id: groups.id, userRegexp: groups.userRegexp })
    .from(groups)
    .where(ne(groups.userRegexp, ''))
    .orderBy(asc(groups.id))
}

/** The groups whose pattern a folded login matches. An invalid pattern matches nobody. */
export async function findMatchingGroups(
  patterns: readonly GroupPattern[],
  loginFold: string,
): Promise<number[]> {
  const pauses = new Pauses(COMPILED_AT_ONCE)
  const matching: number[] = []
  for (const { id, userRegexp } of patterns) {
    await pauses.pauseBefore(1)
    const pattern = await compilePattern(userRegexp)
    if (pattern?.matches(loginFold)) {
      matching.push(id)
    }
  }
  return matching
}

/**
 * Replaces the groups by pattern of a person with the `matching` ones. Must follow the statement that
 * creates the account (`userId` may be SQL) or changes its login, and precede
 * `recomputeMembershipsStatements` for that person. Aborts as a conflict when a pattern has changed since
 * `patterns` were read.
 */
export function rederivePersonStatements(
  userId: number | SQL,
  patterns: readonly GroupPattern[],
  matching: readonly number[],
): Statement[] {
  return [
    abortIf(patternsChangedCondition(patterns)),
    sql`DELETE FROM group_members WHERE ${groupMembers.userId} = ${userId} AND ${groupMembers.source} = 'regexp'
      AND ${groupMembers.groupId} NOT IN ${jsonList(matching)}`,
    sql`INSERT OR IGNORE INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      SELECT ${users.id}, ${groups.id}, 'regexp' FROM users JOIN access_groups
      WHERE ${users.id} = ${userId} AND ${groups.id} IN ${jsonList(matching)}`,
  ]
}

function isInRange(userId: SQLWrapper, { afterId, rows, isLast }: LoginRange): SQL {
  const last = rows.at(-1)
  return isLast || last === undefined
    ? sql`${userId} > ${afterId}`
    : sql`${userId} > ${afterId} AND ${userId} <= ${last.id}`
}

function loginsChangedCondition(logins: LoginRange): SQL {
  const revisions = logins.rows.reduce((sum, { revision }) => sum + revision, 0)
  return sql`(SELECT count(*) || ' ' || coalesce(sum(${u.revision}), 0) FROM users u WHERE ${isInRange(u.id, logins)})
    <> ${`${logins.rows.length} ${revisions}`}`
}

function patternsChangedCondition(patterns: readonly GroupPattern[]): SQL {
  return sql`(SELECT count(*) FROM access_groups WHERE ${groups.userRegexp} <> '') <> ${patterns.length}
    OR EXISTS (SELECT 1 FROM ${jsonRows(patterns)}
      WHERE NOT EXISTS (SELECT 1 FROM access_groups g
        WHERE ${g.id} = r.value ->> 'id' AND ${g.userRegexp} = r.value ->> 'userRegexp'))`
}
