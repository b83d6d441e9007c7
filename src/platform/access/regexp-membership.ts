import { asc, gt, ne, type SQL } from 'drizzle-orm'
import { abortIf, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groupMembers, groups, memberships } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import type { SessionHolder } from '../db/session.ts'
import { aliasColumns, allOf, columnNames, db, jsonList, jsonRows, sql } from '../db/sql.ts'
import { compilePattern, type Pattern } from '../lib/pattern.ts'
import { Pauses } from '../load/pauses.ts'
import { recomputeMembershipsStatements } from './membership.ts'

const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')

/**
 * Membership by pattern: people whose login matches the pattern of a group belong to the group. A change of
 * a pattern and a change of a login each update their own rows in their commit, which is a conflict when
 * the other has happened since it was read.
 */

type LoginRow = { readonly id: number; readonly loginFold: string }

/** All logins of the site, or those that match; `version` is a text that any change of an account changes. */
type Logins = {
  readonly rows: readonly LoginRow[]
  readonly version: string
  readonly areMatched?: boolean
}

/** Logins that are compared between two pauses: a hundred thousand take a second. */
const COMPARED_AT_ONCE = 2_000

type GroupPattern = { readonly id: number; readonly userRegexp: string }

const LOGINS_PER_PAGE = 10_000

/** IDs per parameter, far below the 2 MB of a text in D1. */
const IDS_PER_LIST = 100_000

/** Selects the first page of all logins and their version, for a batch that reads other things too. */
export function selectFirstLogins() {
  return {
    logins: selectLoginsAfter(0, LOGINS_PER_PAGE),
    loginsVersion: db
      .select({ version: sql<string>`${selectLoginsVersion()}`.as('version') })
      .from(groups)
      .limit(1),
  }
}

/**
 * Loads all logins after their first page, with one round trip for each further page. A change in between
 * makes the commit of `rederiveGroupsStatements` a conflict.
 */
export async function loadLogins(
  ctx: SessionHolder,
  first: { logins: readonly LoginRow[]; loginsVersion: readonly { version: string }[] },
  perPage = LOGINS_PER_PAGE,
): Promise<Logins> {
  const rows = [...first.logins]
  let page = first.logins
  while (page.length >= perPage) {
    const { logins } = await readBatch(ctx, {
      logins: selectLoginsAfter(page.at(-1)?.id ?? 0, perPage),
    })
    rows.push(...logins)
    page = logins
  }
  return { rows, version: first.loginsVersion[0]?.version ?? '' }
}

/** Keeps the logins that match, and lets others be served meanwhile. */
export async function keepMatching(logins: Logins, pattern: Pattern | null): Promise<Logins> {
  const pauses = new Pauses(COMPARED_AT_ONCE)
  const rows: LoginRow[] = []
  for (const row of logins.rows) {
    await pauses.pauseBefore(1)
    if (pattern?.matches(row.loginFold)) {
      rows.push(row)
    }
  }
  return { ...logins, rows, areMatched: true }
}

/**
 * Replaces the members by pattern of the groups with the people whose login matches (none for null), and
 * recomputes effective membership. Aborts as a conflict when an account was created or changed since the
 * logins were read.
 */
export function rederiveGroupsStatements(
  groupIds: readonly number[] | SQL,
  pattern: Pattern | null,
  logins: Logins | null,
): Statement[] {
  const ids = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  const { rows = [], areMatched = false } = logins ?? {}
  const matching = areMatched ? rows : rows.filter(({ loginFold }) => pattern?.matches(loginFold))
  const lists = chunkIds(matching.map(({ id }) => id)).map((userIds) => jsonList(userIds))
  return [
    ...(logins === null ? [] : [abortIf(sql`${selectLoginsVersion()} <> ${logins.version}`)]),
    sql`DELETE FROM group_members WHERE ${groupMembers.groupId} IN ${ids} AND ${groupMembers.source} = 'regexp'
      AND ${allOf(lists.map((list) => sql`${groupMembers.userId} NOT IN ${list}`))}`,
    ...lists.map(
      (
        list,
      ) => sql`INSERT OR IGNORE INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
        SELECT ${users.id}, ${groups.id}, 'regexp' FROM users JOIN access_groups
        WHERE ${users.id} IN ${list} AND ${groups.id} IN ${ids}`,
    ),
    // people who lose or gain a group this way were members before, or are members by pattern now
    ...recomputeMembershipsStatements(sql`(SELECT ${memberships.userId} FROM memberships WHERE ${memberships.groupId} IN ${ids}
      UNION SELECT ${groupMembers.userId} FROM group_members WHERE ${groupMembers.groupId} IN ${ids})`),
  ]
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
  const compiled = await Promise.all(
    patterns.map(async ({ id, userRegexp }) => ({ id, pattern: await compilePattern(userRegexp) })),
  )
  return compiled.filter(({ pattern }) => pattern?.matches(loginFold)).map(({ id }) => id)
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

function selectLoginsAfter(id: number, limit: number) {
  return db
    .select({ id: users.id, loginFold: users.loginFold })
    .from(users)
    .where(gt(users.id, id))
    .orderBy(asc(users.id))
    .limit(limit)
}

/** A text that differs after any account was created or changed. */
function selectLoginsVersion(): SQL {
  return sql`(SELECT count(*) || ' ' || coalesce(max(${u.id}), 0) || ' ' || coalesce(sum(${u.revision}), 0)
    FROM users u)`
}

function patternsChangedCondition(patterns: readonly GroupPattern[]): SQL {
  return sql`(SELECT count(*) FROM access_groups WHERE ${groups.userRegexp} <> '') <> ${patterns.length}
    OR EXISTS (SELECT 1 FROM ${jsonRows(patterns)}
      WHERE NOT EXISTS (SELECT 1 FROM access_groups g
        WHERE ${g.id} = r.value ->> 'id' AND ${g.userRegexp} = r.value ->> 'userRegexp'))`
}

function chunkIds(ids: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(ids.length / IDS_PER_LIST) }, (_, i) =>
    ids.slice(i * IDS_PER_LIST, (i + 1) * IDS_PER_LIST),
  )
}
