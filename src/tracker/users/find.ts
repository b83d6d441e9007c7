import type { SQL } from 'drizzle-orm'
import { type Caller, hasRole, type Person } from '../../platform/access/caller.ts'
import { selectBlessableGroups, visiblePersonCondition } from '../../platform/access/people.ts'
import { groups, memberships } from '../../platform/db/schema/groups.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, limitTo, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'

const m = aliasColumns(users, 'm')
const exact = aliasColumns(users, 'exact')
const named = aliasColumns(groups, 'named')

/** Which people a request asks for. Texts are trimmed and folded. */
export type UserCriteria = {
  readonly names: readonly string[]
  readonly ids: readonly number[]
  readonly matches: readonly string[]
  /** The most people that one match string finds, behind so many others. */
  readonly limit: number
  readonly offset: number
  readonly includeDisabled: boolean
  /** Only members of one of these groups match; null when everybody does. */
  readonly memberOf: { readonly ids: readonly number[]; readonly names: readonly string[] } | null
}

/** The caller, and which optional members of the answer they select. */
export type Viewer = {
  readonly caller: Caller
  /** Whether the site limits who sees whom by visibility groups. */
  readonly byGroups: boolean
  readonly wantsGroups: boolean
  readonly wantsSavedSearches: boolean
}

/**
 * The selects of Find users, for one `readBatch`, without those that neither the request nor the selected
 * fields need. In the rows of the first three, `position` is the index of the name, ID or match string. The
 * rows of one match string are in order, those ahead of the offset and one or two behind the limit among them.
 */
export function selectPeople(criteria: UserCriteria, viewer: Viewer) {
  const { caller, wantsGroups, wantsSavedSearches } = viewer
  const { names, ids, matches, memberOf } = criteria
  const person = caller.kind === 'person' ? caller : null
  return {
    byName: names.length > 0 ? selectByName(criteria, viewer) : undefined,
    byId: ids.length > 0 ? selectById(criteria, viewer) : undefined,
    byMatch: matches.length > 0 ? selectByMatch(criteria, viewer) : undefined,
    filterGroups: memberOf === null ? undefined : selectFilterGroups(memberOf),
    groups: person !== null && wantsGroups ? selectVisibleGroups(person) : undefined,
    savedSearches: person !== null && wantsSavedSearches ? selectSavedSearches(person) : undefined,
  }
}

function selectByName(criteria: UserCriteria, viewer: Viewer) {
  return db
    .select(personColumns(criteria, viewer))
    .from(users)
    .innerJoin(jsonItems(criteria.names), sql`${users.loginFold} = r.value`)
    .orderBy(sql`r.key`)
}

function selectById(criteria: UserCriteria, viewer: Viewer) {
  return db
    .select(personColumns(criteria, viewer))
    .from(users)
    .innerJoin(jsonItems(criteria.ids), sql`${users.id} = r.value`)
    .orderBy(sql`r.key`)
}

/**
 * Scans accounts in the order of logins for each match string up to the limit. The account whose login equals
 * the string comes first, even when it is disabled.
 */
function selectByMatch(criteria: UserCriteria, viewer: Viewer) {
  const { caller, byGroups } = viewer
  const isEnabled = criteria.includeDisabled ? sql`1` : sql`${m.loginDeniedText} = ''`
  const isInGroups =
    criteria.memberOf === null
      ? sql`1`
      : sql`${m.id} IN (SELECT ${memberships.userId} FROM memberships
          WHERE ${memberships.groupId} IN (${selectFilterGroupIds(criteria.memberOf)}))`
  return db
    .select(personColumns(criteria, viewer))
    .from(users)
    .innerJoin(
      jsonItems(criteria.matches),
      sql`${users.id} IN (
        SELECT ${exact.id} FROM users exact WHERE ${exact.loginFold} = r.value
        UNION ALL
        SELECT id FROM (SELECT ${m.id} FROM users m
          WHERE ${isEnabled} AND ${isInGroups} AND ${visiblePersonCondition(caller, byGroups, sql`${m.id}`)}
            AND (${matchesPattern(sql`${m.loginFold}`)} OR ${matchesPattern(sql`${m.realNameFold}`)})
          ORDER BY ${m.loginFold} ${limitTo(criteria.offset + criteria.limit + 1)}))`,
    )
    .orderBy(sql`r.key`, sql`${users.loginFold} <> r.value`, users.loginFold)
}

/**
 * Whether a column matches the string in `r.value`: contains it or, when it has a `*` for any run of
 * characters, matches it as a whole. LIKE and GLOB of D1 refuse patterns over 50 bytes, so a recursive query
 * finds the text before each star in the rest of the column, and goes on behind its first occurrence.
 */
function matchesPattern(column: SQL): SQL {
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

function personColumns(criteria: UserCriteria, viewer: Viewer) {
  const { caller, byGroups } = viewer
  return {
    position: sql<number>`r.key`.as('position'),
    isVisible: sql<number>`${visiblePersonCondition(caller, byGroups, sql`${users.id}`)}`.as(
      'is_visible',
    ),
    isInGroups: sql<number>`${memberCondition(criteria.memberOf)}`.as('is_in_groups'),
    ...pick(users, 'id', 'login', 'realName', 'nick', 'loginDeniedText'),
    ...pick(users, 'emailEnabled', 'createdAt', 'lastSeenAt', 'lastActivityAt'),
    groupIds: visibleGroupIds(viewer).as('group_ids'),
  }
}

/**
 * JSON of the person's groups that the caller may see: all of them for the person and for `editusers`,
 * otherwise those that the caller may bless.
 */
function visibleGroupIds({ caller, wantsGroups }: Viewer): SQL<string | null> {
  if (caller.kind !== 'person' || !wantsGroups) {
    return sql`NULL`
  }
  const allGroupIds = sql`(SELECT json_group_array(${memberships.groupId}) FROM memberships
    WHERE ${memberships.userId} = ${users.id})`
  if (hasRole(caller, 'editusers')) {
    return sql`${allGroupIds}`
  }
  return sql`CASE WHEN ${users.id} = ${caller.id} THEN ${allGroupIds}
    ELSE (SELECT json_group_array(${memberships.groupId}) FROM memberships
      WHERE ${memberships.userId} = ${users.id}
        AND ${memberships.groupId} IN ${selectBlessableGroups(caller)}) END`
}

/** Selects the groups that can occur in `visibleGroupIds`, by name. */
function selectVisibleGroups(caller: Person) {
  const isVisible = hasRole(caller, 'editusers')
    ? sql`1`
    : sql`${groups.id} IN ${selectBlessableGroups(caller)}
        OR ${groups.id} IN ${jsonList([...caller.groups])}`
  return db
    .select({ id: groups.id, name: groups.name, description: groups.description })
    .from(groups)
    .where(isVisible)
    .orderBy(groups.nameFold)
}

function selectSavedSearches(caller: Person) {
  return db
    .select(pick(savedSearches, 'id', 'kind', 'name', 'query'))
    .from(savedSearches)
    .where(sql`${savedSearches.userId} = ${caller.id}`)
    .orderBy(savedSearches.nameFold, savedSearches.id)
}

function selectFilterGroups(filter: NonNullable<UserCriteria['memberOf']>) {
  return db
    .select({ id: groups.id, nameFold: groups.nameFold })
    .from(groups)
    .where(sql`${groups.id} IN (${selectFilterGroupIds(filter)})`)
}

function memberCondition(filter: UserCriteria['memberOf']): SQL {
  return filter === null
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM memberships WHERE ${memberships.userId} = ${users.id}
        AND ${memberships.groupId} IN (${selectFilterGroupIds(filter)}))`
}

function selectFilterGroupIds({ ids, names }: NonNullable<UserCriteria['memberOf']>): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})
    UNION SELECT ${named.id} FROM access_groups named WHERE ${named.nameFold} IN ${jsonList(names)}`
}

/** A table of the elements of a list, each with its position in `r.key`. */
function jsonItems(values: readonly (number | string)[]): SQL {
  return sql`json_each(${JSON.stringify(values)}) AS r`
}
