import type { SQL } from 'drizzle-orm'
import type { BugSet } from '../../platform/access/bug-set.ts'
import { isInsiderCondition } from '../../platform/access/privacy.ts'
import {
  attachments as attachmentsTable,
  bugCc,
  bugGroups,
  bugs,
} from '../../platform/db/schema/bugs.ts'
import { flags, flagTypeScopes, flagTypes } from '../../platform/db/schema/flags.ts'
import { memberships } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, jsonList, sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import type { FlagInput } from './input.ts'
import { scopesOfProductsCondition } from './scopes.ts'

const f = aliasColumns(flags, 'f')
const a = aliasColumns(attachmentsTable, 'a')
const s = aliasColumns(flags, 's')
const u = aliasColumns(users, 'u')
const m = aliasColumns(memberships, 'm')
const c = aliasColumns(bugCc, 'c')
const b = aliasColumns(bugGroups, 'b')

/**
 * Reads what a request needs to decide on flags. `...selectFlags({ inputs, bugs, … })` goes into the
 * `readBatch` of the verb, and its rows to `createFlagPlanner` in `plan.ts`. Without entries nothing is read.
 */
export type FlagQuery = {
  /** The entries of every flag parameter of the request, in any order. */
  readonly inputs: readonly FlagInput[]
  /** Existing bugs whose flags, or whose attachments' flags, may change; null for a new bug. */
  readonly bugs: BugSet | null
  /** A select of the IDs of existing attachments whose flags may change. */
  readonly attachments?: SQL
  /** A select of the IDs of the products of new bugs, and of those that bugs move to. */
  readonly products?: SQL
  /** Bugs may move to another product or component, where other types apply to all their flags. */
  readonly movesBugs?: boolean
  /** Attachments may become obsolete, which clears the open requests on them. */
  readonly obsoletesAttachments?: boolean
}

/**
 * Flags of a bug and its attachments that a request may add to: everybody who reads the bug pays for all of them.
 */
export const MAX_FLAGS_OF_BUG = 500

type FlagSelects = ReturnType<typeof selectFlags>

/** The rows; parts are undefined when there was nothing to decide. */
export type FlagRows = { readonly [Part in keyof FlagSelects]: Awaited<FlagSelects[Part]> }

export type LoadedFlagType = NonNullable<FlagRows['flagTypes']>[number]
export type CurrentFlag = NonNullable<FlagRows['flags']>[number]
export type FlagPerson = NonNullable<FlagRows['flagPeople']>[number]

/** Selects flags, the types that apply to the bugs before and after, the requestees, and the bugs. */
export function selectFlags(query: FlagQuery) {
  const { inputs, movesBugs = false, obsoletesAttachments = false } = query
  if (inputs.length === 0 && !movesBugs && !obsoletesAttachments) {
    return {
      flagTypes: undefined,
      flagScopes: undefined,
      flags: undefined,
      flagPeople: undefined,
      flagBugs: undefined,
    }
  }
  const logins = inputs.map(({ requestee }) => fold((requestee ?? '').trim()))
  const loginFolds = jsonList([...new Set(logins)].filter((login) => login !== ''))
  const flagIds = selectFlagIds(query)
  return {
    flagTypes: selectTypes(selectProductIds(query), flagIds),
    flagScopes: db
      .select(pick(flagTypeScopes, 'flagTypeId', 'isExclusion', 'productId', 'componentId'))
      .from(flagTypeScopes)
      .where(scopesOfProductsCondition(selectProductIds(query))),
    flags: selectCurrentFlags(flagIds),
    flagPeople: selectFlagPeople(loginFolds, movesBugs ? flagIds : null),
    flagBugs: query.bugs === null ? undefined : selectFlagBugs(query.bugs, loginFolds),
  }
}

/** The products of the bugs before and after the request. */
function selectProductIds({ bugs: set, products }: FlagQuery): SQL {
  const current =
    set === null ? undefined : sql`SELECT ${bugs.productId} FROM bugs WHERE ${set.condition}`
  return uniteIds([current, products])
}

/** The IDs of the flags that may change, each kind by its index. */
function selectFlagIds({ bugs: set, attachments, movesBugs = false }: FlagQuery): SQL {
  const ofBugs =
    set === null
      ? undefined
      : sql`SELECT ${f.id} FROM flags f WHERE ${f.bugId} IN (SELECT ${bugs.id} FROM bugs WHERE ${set.condition})
          ${movesBugs ? sql`` : sql`AND ${f.attachmentId} IS NULL`}`
  const ofAttachments =
    attachments === undefined
      ? undefined
      : sql`SELECT ${f.id} FROM attachments a
          JOIN flags f ON ${f.bugId} = ${a.bugId} AND ${f.attachmentId} = ${a.id} WHERE ${a.id} IN (${attachments})`
  return uniteIds([ofBugs, ofAttachments])
}

/** A select in brackets of the IDs that any of the selects returns. */
function uniteIds(selects: readonly (SQL | undefined)[]): SQL {
  const parts = selects.filter((part) => part !== undefined)
  return parts.length === 0 ? sql`(SELECT NULL)` : sql`(${sql.join(parts, sql` UNION `)})`
}

function selectTypes(productIds: SQL, flagIds: SQL) {
  return db
    .select({
      ...pick(flagTypes, 'id', 'name', 'target', 'isActive', 'isRequestable', 'isRequesteeble'),
      ...pick(flagTypes, 'isMultiplicable', 'grantGroupId', 'requestGroupId', 'revision'),
    })
    .from(flagTypes)
    .where(
      sql`${flagTypes.id} IN (SELECT ${flagTypeScopes.flagTypeId} FROM flag_type_scopes
          WHERE ${scopesOfProductsCondition(productIds)} AND ${flagTypeScopes.isExclusion} = 0)
        OR ${flagTypes.id} IN (SELECT ${s.typeId} FROM flags s WHERE ${s.id} IN ${flagIds})`,
    )
    .orderBy(flagTypes.sortKey, flagTypes.id)
}

function selectCurrentFlags(flagIds: SQL) {
  return db
    .select({
      ...pick(flags, 'id', 'typeId', 'bugId', 'attachmentId', 'status', 'setterId', 'requesteeId'),
      requestee: sql<
        string | null
      >`(SELECT ${u.login} FROM users u WHERE ${u.id} = ${flags.requesteeId})`.as('requestee'),
      revision: flags.revision,
    })
    .from(flags)
    .where(sql`${flags.id} IN ${flagIds}`)
    .orderBy(flags.id)
}

/** Requestees; where flags move to other types, also their setters, whose rights decide. */
function selectFlagPeople(loginFolds: SQL, movedFlagIds: SQL | null) {
  const setters =
    movedFlagIds === null
      ? sql``
      : sql`OR ${users.id} IN (SELECT ${s.setterId} FROM flags s WHERE ${s.id} IN ${movedFlagIds})`
  return db
    .select({
      ...pick(users, 'id', 'login', 'loginFold'),
      isDisabled: sql<boolean>`${users.loginDeniedText} <> ''`.mapWith(Boolean).as('is_disabled'),
      isInsider: isInsiderCondition(users.id).mapWith(Boolean).as('is_insider'),
      /** JSON: the IDs of the person's groups. */
      groups: sql<string>`(SELECT json_group_array(${m.groupId}) FROM memberships m
        WHERE ${m.userId} = ${users.id})`.as('groups'),
    })
    .from(users)
    .where(sql`${users.loginFold} IN ${loginFolds} ${setters}`)
}

/** The components of the bugs and what decides who sees them; of CC lists only the requestees. */
function selectFlagBugs(set: BugSet, loginFolds: SQL) {
  return db
    .select({
      ...pick(bugs, 'id', 'productId', 'componentId', 'reporterId'),
      ...pick(bugs, 'assignedToId', 'qaContactId', 'isCcAccessible', 'isCreatorAccessible'),
      /** JSON: the IDs of the bug's groups. */
      groups: sql<string>`(SELECT json_group_array(${b.groupId}) FROM bug_groups b
        WHERE ${b.bugId} = ${bugs.id})`.as('groups'),
      /** JSON: the IDs of the requestees who are on the CC list. */
      cc: sql<string>`(SELECT json_group_array(${c.userId}) FROM users u
        CROSS JOIN bug_cc c ON ${c.bugId} = ${bugs.id} AND ${c.userId} = ${u.id}
        WHERE ${u.loginFold} IN ${loginFolds})`.as('cc'),
      flagCount: sql<number>`(SELECT count(*) FROM flags s WHERE ${s.bugId} = ${bugs.id})`.as(
        'flag_count',
      ),
    })
    .from(bugs)
    .where(set.condition)
}
