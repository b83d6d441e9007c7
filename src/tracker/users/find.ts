import type { SQL } from 'drizzle-orm'
import { type Caller, hasRole, type Person } from '../../platform/access/caller.ts'
import { selectBlessableGroups, visiblePersonCondition } from '../../platform/access/people.ts'
import { groups, memberships } from '../../platform/db/schema/groups.ts'
import { savedSearches } from '../../platform/db/schema/saved-searches.ts'
import { users } from '../../platform/db/schema/users.ts'
import {
  aliasColumns,
  anyOf,
  countUpTo,
  db,
  jsonList,
  limitTo,
  sql,
  unionOf,
} from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { matchesNamePattern } from './match-condition.ts'

const m = aliasColumns(users, 'm')
const exact = aliasColumns(users, 'exact')
const named = aliasColumns(groups, 'named')

/** Groups by their IDs, and by their names those that the person with the ID `namedBy` belongs to. */
type GroupFilter = {
  readonly ids: readonly number[]
  readonly names: readonly string[]
  /** Null for nobody. */
  readonly namedBy: number | null
}

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
  readonly memberOf: GroupFilter | null
}

/** The caller, and which optional members of the answer they select. */
export type FindViewer = {
  readonly caller: Caller
  /** Whether the site limits who sees whom by visibility groups. */
  readonly byGroups: boolean
  readonly wantsGroups: boolean
  readonly wantsSavedSearches: boolean
}

/**
 * The selects of Find users, for one `readBatch`, without those that neither the request nor the selected
 * fields need, and without those of match strings. `position` is the index of the name or ID.
 */
export function selectPeople(criteria: UserCriteria, viewer: FindViewer) {
  const { caller, wantsGroups, wantsSavedSearches } = viewer
  const { names, ids, memberOf } = criteria
  const person = caller.kind === 'person' ? caller : null
  return {
    byName: names.length > 0 ? selectByName(criteria, viewer) : undefined,
    byId: ids.length > 0 ? selectById(criteria, viewer) : undefined,
    filterGroups: memberOf === null ? undefined : selectFilterGroups(memberOf),
    groups: person !== null && wantsGroups ? selectVisibleGroups(person) : undefined,
    savedSearches: person !== null && wantsSavedSearches ? selectSavedSearches(person) : undefined,
  }
}

function selectByName(criteria: UserCriteria, viewer: FindViewer) {
  return db
    .select(personColumns(sql`r.key`, criteria, viewer))
    .from(users)
    .innerJoin(jsonItems(criteria.names), sql`${users.loginFold} = r.value`)
    .orderBy(sql`r.key`)
}

function selectById(criteria: UserCriteria, viewer: FindViewer) {
  return db
    .select(personColumns(sql`r.key`, criteria, viewer))
    .from(users)
    .innerJoin(jsonItems(criteria.ids), sql`${users.id} = r.value`)
    .orderBy(sql`r.key`)
}

/** So many accounts in the order of their logins, behind others. */
export type AccountRange = { readonly passed: number; readonly accounts: number }

/** A match string, and its place among those of the request. */
export type Sought = { readonly position: number; readonly match: string }

/**
 * Looks for a string in a range of the accounts. In the first one, the account whose login equals the string comes
 * first, even when it is disabled. `place` is that of an account among all that match, of which others have been
 * `found` in ranges before. Those ahead of the offset are left out, but for the last of all.
 */
export function selectMatching(
  { position, match }: Sought,
  range: AccountRange & { readonly found: number },
  criteria: UserCriteria,
  viewer: FindViewer,
) {
  const { caller, byGroups } = viewer
  const matching = selectMatchingIds(match, range, criteria, viewer)
  const named = sql`SELECT ${exact.id} AS user_id, ${exact.loginFold} AS login, 0 AS rank FROM users exact
    WHERE ${exact.loginFold} = ${match} AND ${visiblePersonCondition(caller, byGroups, sql`${exact.id}`)}
      AND ${memberCondition(criteria.memberOf, sql`${exact.id}`)}`
  const all = unionOf(range.passed === 0 ? [named, matching] : [matching])
  const place = sql<number>`(r.place + ${range.found})`
  return db
    .select({ ...personColumns(sql`${position}`, criteria, viewer), place: place.as('place') })
    .from(users)
    .innerJoin(
      sql`(SELECT user_id, row_number() OVER (ORDER BY rank, login) AS place, count(*) OVER () AS size
        FROM (${all})) AS r`,
      sql`${users.id} = r.user_id`,
    )
    .where(sql`${place} > ${criteria.offset} OR r.place = r.size`)
    .orderBy(sql`r.place`)
}

/** In the order of the accounts, which end with the last one that is needed. */
function selectMatchingIds(
  match: string,
  range: AccountRange,
  { includeDisabled, memberOf, offset, limit }: UserCriteria,
  { caller, byGroups }: FindViewer,
): SQL {
  const isMatch = anyOf([
    matchesNamePattern(sql`${m.loginFold}`, match),
    matchesNamePattern(sql`${m.realNameFold}`, match),
  ])
  return sql`SELECT * FROM (SELECT ${m.id} AS user_id, ${m.loginFold} AS login, 1 AS rank
    FROM (${selectAccounts(range, memberOf)}) m
    WHERE ${m.loginFold} <> ${match} AND ${includeDisabled ? sql`1` : sql`${m.loginDeniedText} = ''`}
      AND ${isMatch} AND ${visiblePersonCondition(caller, byGroups, sql`${m.id}`)}
      AND ${memberCondition(memberOf, sql`${m.id}`)} ${limitTo(offset + limit + 1)})`
}

/** The accounts of a range, by login: those of groups with few members alone, all in the first one. */
function selectAccounts({ passed, accounts }: AccountRange, memberOf: GroupFilter | null): SQL {
  const walked = (most: SQL) =>
    sql`SELECT * FROM (SELECT * FROM users ORDER BY ${users.loginFold} LIMIT ${most} OFFSET ${passed} + 0)`
  if (memberOf === null) {
    return walked(sql`${accounts} + 0`)
  }
  const isFew = hasFewMembers(memberOf)
  // a condition would be tested for each account, or for each member
  const all = walked(sql`iif(${isFew}, 0, ${accounts})`)
  const members = sql`SELECT DISTINCT ${memberships.userId} AS member FROM memberships
    WHERE ${memberships.groupId} IN (${selectFilterGroupIds(memberOf)}) LIMIT iif(${isFew}, ${FEW_MEMBERS}, 0)`
  const few = sql`SELECT * FROM (SELECT users.* FROM (${members}) CROSS JOIN users ON ${users.id} = member
    ORDER BY ${users.loginFold} ${limitTo(FEW_MEMBERS)})`
  return passed === 0 ? sql`${few} UNION ALL ${all}` : all
}

/** Members of groups that are sorted, where the accounts of the tracker need not be walked through. */
const FEW_MEMBERS = 5000

function hasFewMembers(filter: GroupFilter): SQL {
  const all = sql`SELECT 1 FROM memberships
    WHERE ${memberships.groupId} IN (${selectFilterGroupIds(filter)})`
  return sql`(${countUpTo(all, FEW_MEMBERS)} <= ${FEW_MEMBERS})`
}

/** At least as many as there are accounts to be walked through. */
export function selectAccountCount({ memberOf }: UserCriteria) {
  const all = sql<number>`(SELECT coalesce(max(${users.id}), 0) FROM users)`
  const most = memberOf === null ? all : sql<number>`iif(${hasFewMembers(memberOf)}, 0, ${all})`
  return db.select({ most: most.as('most') }).from(sql`(SELECT 1)`)
}

/** An account behind a range. */
export function selectBehind({ passed, accounts }: AccountRange) {
  return db
    .select({ id: users.id })
    .from(users)
    .orderBy(users.loginFold)
    .limit(1)
    .offset(passed + accounts)
}

function personColumns(position: SQL, criteria: UserCriteria, viewer: FindViewer) {
  const { caller, byGroups } = viewer
  return {
    position: sql<number>`${position}`.as('position'),
    isVisible: sql<number>`${visiblePersonCondition(caller, byGroups, sql`${users.id}`)}`.as(
      'is_visible',
    ),
    isInGroups: sql<number>`${memberCondition(criteria.memberOf, sql`${users.id}`)}`.as(
      'is_in_groups',
    ),
    ...pick(users, 'id', 'login', 'realName', 'nick', 'loginDeniedText'),
    ...pick(users, 'emailEnabled', 'createdAt', 'lastSeenAt', 'lastActivityAt'),
    groupIds: visibleGroupIds(viewer).as('group_ids'),
  }
}

/**
 * JSON of the person's groups that the caller may see: all of them for the person and for `editusers`,
 * otherwise those that the caller may bless.
 */
function visibleGroupIds({ caller, wantsGroups }: FindViewer): SQL<string | null> {
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

/** Bytes of their queries; people of a tracker that was imported may have more. */
const MAX_BYTES_OF_SEARCHES = 1_000_000

/** The saved searches and reports of the caller by name, the first of very many. */
export function selectSavedSearches(caller: Person) {
  const sized = sql`(SELECT ${savedSearches.id} AS sized_id, coalesce(sum(octet_length(${savedSearches.query})) OVER (
      ORDER BY ${savedSearches.nameFold}, ${savedSearches.id} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS ahead
    FROM saved_searches WHERE ${savedSearches.userId} = ${caller.id}) AS sized`
  return db
    .select(pick(savedSearches, 'id', 'kind', 'name', 'query'))
    .from(sized)
    .innerJoin(
      savedSearches,
      sql`${savedSearches.id} = sized_id AND ahead < ${MAX_BYTES_OF_SEARCHES}`,
    )
    .orderBy(savedSearches.nameFold, savedSearches.id)
}

function selectFilterGroups(filter: GroupFilter) {
  return db
    .select({ id: groups.id, nameFold: groups.nameFold })
    .from(groups)
    .where(sql`${groups.id} IN (${selectFilterGroupIds(filter)})`)
}

function memberCondition(filter: GroupFilter | null, user: SQL): SQL {
  return filter === null
    ? sql`1`
    : sql`EXISTS (SELECT 1 FROM memberships WHERE ${memberships.userId} = ${user}
        AND ${memberships.groupId} IN (${selectFilterGroupIds(filter)}))`
}

/** A hidden name costs what a missing one does, and ends as it does, however many members the group has. */
function selectFilterGroupIds({ ids, names, namedBy }: GroupFilter): SQL {
  return sql`SELECT value FROM json_each(${JSON.stringify(ids)})
    UNION SELECT ${named.id} FROM access_groups named WHERE ${named.nameFold} IN ${jsonList(names)}
      AND EXISTS (SELECT 1 FROM memberships
        WHERE ${memberships.userId} = ${namedBy} AND ${memberships.groupId} = ${named.id})`
}

/** A table of the elements of a list, each with its position in `r.key`. */
function jsonItems(values: readonly (number | string)[]): SQL {
  return sql`json_each(${JSON.stringify(values)}) AS r`
}
