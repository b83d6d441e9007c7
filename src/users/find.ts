import type { SQL } from 'drizzle-orm'
import { type Caller, hasRole, type Person } from '../access/caller.ts'
import { selectBlessableGroups, visiblePersonCondition } from '../access/people.ts'
import { db } from '../db/client.ts'
import { groups } from '../db/schema/groups.ts'
import { savedSearches, users } from '../db/schema/users.ts'
import { jsonList, limitTo, sql } from '../db/sql.ts'

/** The people that a call asks for. Texts are trimmed and folded. */
export type Asked = {
  readonly names: readonly string[]
  readonly ids: readonly number[]
  readonly matches: readonly string[]
  /** Most people that one match string finds. */
  readonly limit: number
  readonly includeDisabled: boolean
  /** Only members of one of these groups; null for everybody. */
  readonly within: { readonly ids: readonly number[]; readonly names: readonly string[] } | null
}

/** Who asks, and what of the answer is wanted. */
export type Onlooker = {
  readonly caller: Caller
  /** Whether the site shows people by their groups. */
  readonly byGroups: boolean
  readonly wantsGroups: boolean
  readonly wantsSaved: boolean
}

/**
 * The reads that answer a question about people, to be sent `together`; what is not asked for or not
 * wanted is not read. The rows of the first three tell in `place` which name, ID or match string they
 * belong to; those of one match string stand in order, and there may be one more than the limit.
 */
export function findPeople(asked: Asked, onlooker: Onlooker) {
  const { caller, wantsGroups, wantsSaved } = onlooker
  const { names, ids, matches, within } = asked
  const person = caller.kind === 'person' ? caller : null
  return {
    named: names.length > 0 ? byName(asked, onlooker) : undefined,
    numbered: ids.length > 0 ? byId(asked, onlooker) : undefined,
    matched: matches.length > 0 ? byMatch(asked, onlooker) : undefined,
    within: within === null ? undefined : selectWithin(within),
    groups: person !== null && wantsGroups ? knownGroups(person) : undefined,
    saved: person !== null && wantsSaved ? savedOf(person) : undefined,
  }
}

function byName(asked: Asked, onlooker: Onlooker) {
  return db
    .select(columns(asked, onlooker))
    .from(users)
    .innerJoin(listed(asked.names), sql`users.login_fold = r.value`)
    .orderBy(sql`r.key`)
}

function byId(asked: Asked, onlooker: Onlooker) {
  return db
    .select(columns(asked, onlooker))
    .from(users)
    .innerJoin(listed(asked.ids), sql`users.id = r.value`)
    .orderBy(sql`r.key`)
}

/**
 * Walks the logins in their order for each match string, until enough are found. Whose login is the
 * string itself comes first, even when disabled.
 */
function byMatch(asked: Asked, onlooker: Onlooker) {
  const { caller, byGroups } = onlooker
  const isFound = asked.includeDisabled ? sql`1` : sql`m.login_denied_text = ''`
  const isWithin =
    asked.within === null
      ? sql`1`
      : sql`m.id IN (SELECT memberships.user_id FROM memberships
          WHERE memberships.group_id IN (${idsWithin(asked.within)}))`
  return db
    .select(columns(asked, onlooker))
    .from(users)
    .innerJoin(
      listed(asked.matches),
      sql`users.id IN (
        SELECT exact.id FROM users exact WHERE exact.login_fold = r.value
        UNION ALL
        SELECT id FROM (SELECT m.id FROM users m
          WHERE ${isFound} AND ${isWithin} AND ${visiblePersonCondition(caller, byGroups, sql`m.id`)}
            AND (${fits(sql`m.login_fold`)} OR ${fits(sql`m.real_name_fold`)})
          ORDER BY m.login_fold ${limitTo(asked.limit)}))`,
    )
    .orderBy(sql`r.key`, sql`users.login_fold <> r.value`, users.loginFold)
}

/**
 * Whether a column holds what the match string in `r.value` asks for: the string itself somewhere, or
 * with `*` for any run of characters the whole column. LIKE and GLOB refuse patterns over 50 bytes, so
 * the pattern is walked: what stands before a star is searched in the rest of the column, and the rest
 * goes on behind its first occurrence.
 */
function fits(column: SQL): SQL {
  const beforeStar = (pattern: string) =>
    sql.raw(`substr(${pattern}, 1, instr(${pattern}, '*') - 1)`)
  const behindStar = (pattern: string) => sql.raw(`substr(${pattern}, instr(${pattern}, '*') + 1)`)
  return sql`CASE
    WHEN instr(r.value, '*') = 0 THEN instr(${column}, r.value) > 0
    WHEN substr(${column}, 1, instr(r.value, '*') - 1) <> ${beforeStar('r.value')} THEN 0
    ELSE EXISTS (
      WITH RECURSIVE walk(pattern, rest) AS (
        SELECT ${behindStar('r.value')}, substr(${column}, instr(r.value, '*'))
        UNION ALL
        SELECT ${behindStar('pattern')},
          substr(rest, instr(rest, ${beforeStar('pattern')}) + instr(pattern, '*') - 1)
        FROM walk WHERE instr(pattern, '*') > 0 AND instr(rest, ${beforeStar('pattern')}) > 0)
      SELECT 1 FROM walk WHERE instr(pattern, '*') = 0
        AND (pattern = '' OR substr(rest, -length(pattern)) = pattern)) END`
}

function columns(asked: Asked, onlooker: Onlooker) {
  const { caller, byGroups } = onlooker
  return {
    place: sql<number>`r.key`.as('place'),
    isVisible: sql<number>`${visiblePersonCondition(caller, byGroups, sql`users.id`)}`.as(
      'is_visible',
    ),
    isWithin: sql<number>`${memberWithin(asked.within)}`.as('is_within'),
    id: users.id,
    login: users.login,
    realName: users.realName,
    nick: users.nick,
    loginDeniedText: users.loginDeniedText,
    emailEnabled: users.emailEnabled,
    createdAt: users.createdAt,
    lastSeenAt: users.lastSeenAt,
    lastActivityAt: users.lastActivityAt,
    groupIds: groupIds(onlooker).as('group_ids'),
  }
}

/**
 * The person's groups that the caller may know: all for oneself and for who edits users, otherwise
 * those that the caller could hand out. Contract "Users", Get User visibility, 2.
 */
function groupIds({ caller, wantsGroups }: Onlooker): SQL<string | null> {
  if (caller.kind !== 'person' || !wantsGroups) {
    return sql`NULL`
  }
  const all = sql`(SELECT json_group_array(memberships.group_id) FROM memberships
    WHERE memberships.user_id = users.id)`
  if (hasRole(caller, 'editusers')) {
    return sql`${all}`
  }
  return sql`CASE WHEN users.id = ${caller.id} THEN ${all}
    ELSE (SELECT json_group_array(memberships.group_id) FROM memberships
      WHERE memberships.user_id = users.id
        AND memberships.group_id IN ${selectBlessableGroups(caller)}) END`
}

/** The groups that can turn up in `groupIds`, by name. */
function knownGroups(caller: Person) {
  const known = hasRole(caller, 'editusers')
    ? sql`1`
    : sql`access_groups.id IN ${selectBlessableGroups(caller)}
        OR access_groups.id IN ${jsonList([...caller.groups])}`
  return db
    .select({ id: groups.id, name: groups.name, description: groups.description })
    .from(groups)
    .where(known)
    .orderBy(groups.nameFold)
}

function savedOf(caller: Person) {
  return db
    .select({
      id: savedSearches.id,
      kind: savedSearches.kind,
      name: savedSearches.name,
      query: savedSearches.query,
    })
    .from(savedSearches)
    .where(sql`saved_searches.user_id = ${caller.id}`)
    .orderBy(savedSearches.nameFold, savedSearches.id)
}

function selectWithin(within: NonNullable<Asked['within']>) {
  return db
    .select({ id: groups.id, nameFold: groups.nameFold })
    .from(groups)
    .where(sql`access_groups.id IN (${idsWithin(within)})`)
}

function memberWithin(within: Asked['within']): SQL {
  return within === null
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM memberships WHERE memberships.user_id = users.id
        AND memberships.group_id IN (${idsWithin(within)}))`
}

function idsWithin({ ids, names }: NonNullable<Asked['within']>): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})
    UNION SELECT named.id FROM access_groups named WHERE named.name_fold IN ${jsonList(names)}`
}

/** The elements of a list, each with its place in `r.key`. */
function listed(values: readonly (number | string)[]): SQL {
  return sql`json_each(${JSON.stringify(values)}) AS r`
}
