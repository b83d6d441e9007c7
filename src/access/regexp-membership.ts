import { asc, gt, ne, type SQL } from 'drizzle-orm'
import { db } from '../db/client.ts'
import { abortIf, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import type { SessionHolder } from '../db/session.ts'
import { aliasColumns, allOf, jsonList, jsonRows, sql } from '../db/sql.ts'
import { compilePattern, type Pattern } from '../lib/pattern.ts'
import { recomputeMembershipsStatements } from './membership.ts'

const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')

/**
 * Membership by the pattern of a group: whose login matches belongs to the group. Two things change it,
 * the pattern of a group and the login of a person; each brings its own rows up to date in its commit,
 * and refuses as stale when the other happened since it looked.
 */

export type LoginRow = { readonly id: number; readonly loginFold: string }

/** All logins of the site; `moment` is a text that any change of an account changes. */
export type Logins = { readonly rows: readonly LoginRow[]; readonly moment: string }

export type GroupPattern = { readonly id: number; readonly userRegexp: string }

/** Logins that one round trip loads. */
const PER_PAGE = 10_000

/** IDs that one parameter holds, far below the 2 MB that a text may have. */
const PER_LIST = 100_000

/** The first page of all logins, and their moment, for a batch that reads other things too. */
export function selectFirstLogins() {
  return {
    logins: selectLoginsAfter(0, PER_PAGE),
    moment: db
      .select({ moment: sql<string>`${loginsMoment()}`.as('moment') })
      .from(groups)
      .limit(1),
  }
}

/**
 * Loads all logins, given the first page of them, with one more round trip for each further page. A change
 * meanwhile makes the commit of `rederiveGroupsStatements` a conflict.
 */
export async function loadLogins(
  ctx: SessionHolder,
  first: { logins: readonly LoginRow[]; moment: readonly { moment: string }[] },
  perPage = PER_PAGE,
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
  return { rows, moment: first.moment[0]?.moment ?? '' }
}

/**
 * Gives groups the members whose login matches the pattern (null: nobody), takes it from all others, and
 * brings effective membership up to date. Refuses as stale when an account was made or changed since the
 * logins were read.
 */
export function rederiveGroupsStatements(
  groupIds: readonly number[] | SQL,
  pattern: Pattern | null,
  logins: Logins | null,
): Statement[] {
  const own = Array.isArray(groupIds) ? jsonList(groupIds) : groupIds
  const matching = (logins?.rows ?? []).filter(({ loginFold }) => pattern?.matches(loginFold))
  const lists = chunkIds(matching.map(({ id }) => id)).map((ids) => jsonList(ids))
  return [
    ...(logins === null ? [] : [abortIf(sql`${loginsMoment()} <> ${logins.moment}`)]),
    sql`DELETE FROM group_members WHERE group_id IN ${own} AND source = 'regexp'
      AND ${allOf(lists.map((ids) => sql`user_id NOT IN ${ids}`))}`,
    ...lists.map(
      (ids) => sql`INSERT OR IGNORE INTO group_members (user_id, group_id, source)
        SELECT ${users.id}, ${groups.id}, 'regexp' FROM users JOIN access_groups
        WHERE ${users.id} IN ${ids} AND ${groups.id} IN ${own}`,
    ),
    // whoever loses or wins a group this way was in it before, or is in it by its pattern now
    ...recomputeMembershipsStatements(sql`(SELECT user_id FROM memberships WHERE group_id IN ${own}
      UNION SELECT user_id FROM group_members WHERE group_id IN ${own})`),
  ]
}

/** The patterns of all groups, to be read in the batch before `rederivePersonStatements`. */
export function selectGroupPatterns() {
  return db
    .select({ id: groups.id, userRegexp: groups.userRegexp })
    .from(groups)
    .where(ne(groups.userRegexp, ''))
    .orderBy(asc(groups.id))
}

/** The groups whose pattern a folded login matches. A pattern that cannot be used matches nobody. */
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
 * Gives a person the groups whose pattern matches their login and takes it from them in all others; to
 * stand behind the statement that makes the account (`userId` may be SQL) or changes its login, and
 * followed by `recomputeMembershipsStatements` for that person. Refuses as stale when a pattern changed since
 * `patterns` were read.
 */
export function rederivePersonStatements(
  userId: number | SQL,
  patterns: readonly GroupPattern[],
  matching: readonly number[],
): Statement[] {
  return [
    abortIf(patternsChangedCondition(patterns)),
    sql`DELETE FROM group_members WHERE user_id = ${userId} AND source = 'regexp'
      AND group_id NOT IN ${jsonList(matching)}`,
    sql`INSERT OR IGNORE INTO group_members (user_id, group_id, source)
      SELECT ${users.id}, ${groups.id}, 'regexp' FROM users JOIN access_groups
      WHERE ${users.id} = ${userId} AND ${groups.id} IN ${jsonList(matching)}`,
  ]
}

function selectLoginsAfter(id: number, most: number) {
  return db
    .select({ id: users.id, loginFold: users.loginFold })
    .from(users)
    .where(gt(users.id, id))
    .orderBy(asc(users.id))
    .limit(most)
}

/** Whatever makes an account or changes one changes this text. */
function loginsMoment(): SQL {
  return sql`(SELECT count(*) || ' ' || coalesce(max(${u.id}), 0) || ' ' || coalesce(sum(${u.revision}), 0)
    FROM users u)`
}

function patternsChangedCondition(patterns: readonly GroupPattern[]): SQL {
  return sql`(SELECT count(*) FROM access_groups WHERE user_regexp <> '') <> ${patterns.length}
    OR EXISTS (SELECT 1 FROM ${jsonRows(patterns)}
      WHERE NOT EXISTS (SELECT 1 FROM access_groups g
        WHERE ${g.id} = r.value ->> 'id' AND ${g.userRegexp} = r.value ->> 'userRegexp'))`
}

function chunkIds(ids: readonly number[]): number[][] {
  return Array.from({ length: Math.ceil(ids.length / PER_LIST) }, (_, i) =>
    ids.slice(i * PER_LIST, (i + 1) * PER_LIST),
  )
}
