import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import { deriveMembers, selectFirstLogins } from '../../platform/access/membership-steps.ts'
import { selectGroupPatterns } from '../../platform/access/regexp-membership.ts'
import { ROLES } from '../../platform/access/roles.ts'
import type { PersonCtx } from '../../platform/context.ts'
import { commit, type Statement, WriteConflict } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { comments, history } from '../../platform/db/schema/bugs.ts'
import { fields } from '../../platform/db/schema/fields.ts'
import { groupMembers, groups, memberships } from '../../platform/db/schema/groups.ts'
import { imports } from '../../platform/db/schema/imports.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { aliasColumns, columnName, columnNames, db, jsonList, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { compilePattern } from '../../platform/lib/pattern.ts'
import { fold } from '../../platform/lib/text.ts'
import { NEWEST_AUDIT, NEWEST_NOTICE, PARKED_NAME } from './begin-import.ts'
import { archiveIncomplete } from './faults.ts'
import { isWhole, parseProgress, parseStale, requireOpen, selectImport } from './import-state.ts'
import { PARTS } from './parts.ts'

const u = aliasColumns(users, 'u')
const g = aliasColumns(groups, 'g')
const f = aliasColumns(fields, 'f')
const k = aliasColumns(apiKeys, 'k')

/** Fields without which the service does not work: those with values, and those that products and mails name. */
const NEEDED_FIELDS = [
  ...['bug_status', 'resolution', 'bug_type', 'priority', 'bug_severity', 'rep_platform', 'op_sys'],
  ...['product', 'component', 'version', 'target_milestone', 'short_desc', 'assigned_to'],
]

/**
 * Ends an import: the administrator becomes the person of the same login, or an account of their own; what follows
 * from the rows is computed; numbers go on behind the highest.
 */
export async function endImport(
  ctx: PersonCtx,
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  const counted = PARTS.filter(({ name, isAddition }) => !isAddition && name in counts)
  const { imported, missing, patterns, logins, parked, rows } = await readBatch(ctx, {
    imported: selectImport(),
    missing: db
      .select({
        roles:
          sql<string>`(SELECT group_concat(r.value, ', ') FROM json_each(${JSON.stringify(ROLES)}) r
          WHERE r.value NOT IN (SELECT ${g.role} FROM access_groups g WHERE ${g.role} IS NOT NULL AND ${g.id} > 0))`.as(
            'roles',
          ),
        fields:
          sql<string>`(SELECT group_concat(r.value, ', ') FROM json_each(${JSON.stringify(NEEDED_FIELDS)}) r
          WHERE r.value NOT IN (SELECT ${f.name} FROM fields f))`.as('field_names'),
      })
      .from(sql`(SELECT 1)`),
    patterns: selectGroupPatterns(),
    parked: db.select({ id: users.id, login: users.login }).from(users).where(sql`${users.id} < 0`),
    rows:
      counted.length === 0
        ? undefined
        : db
            .select(
              Object.fromEntries(
                counted.map(({ table }, n) => [
                  `n${n}`,
                  sql<number>`(SELECT count(*) FROM ${table} WHERE ${table.id} > 0)`.as(`n${n}`),
                ]),
              ),
            )
            .from(sql`(SELECT 1)`),
    logins: selectFirstLogins(1),
  })
  const state = requireOpen(imported[0])
  const lacking = listLacking(missing[0], counted, state.isFirst ? rows?.[0] : undefined, counts)
  if (lacking.length > 0) {
    throw fault(archiveIncomplete, { things: lacking.join('; ') })
  }
  if (!state.isFirst) {
    await removeStale(ctx, state)
  }
  const login = fold(parked[0]?.login ?? '')
  const byPattern = await Promise.all(
    patterns.map(async ({ id, userRegexp }) =>
      deriveMembers([id], await compilePattern(userRegexp), logins, patterns.length),
    ),
  )
  await commit(ctx, {
    // ahead of a new account, which would be a conflict
    byPattern: byPattern.flatMap(({ statements }) => statements),
    withoutPattern: dropMembersWithoutPattern(),
    account: ownAccount(login),
    key: unparkKeys(login),
    members: recomputeMembershipsStatements('everybody'),
    right: keepRight(login),
    parked: removeParked(),
    numbers: continueNumbers(),
    ended: db.update(imports).set({
      endedAt: ctx.now,
      ownUserId: sql`(SELECT ${u.id} FROM users u WHERE ${u.loginFold} = ${login}
        AND ${u.id} > ${parseProgress(state).users ?? 0})` as never,
      lastAuditId: NEWEST_AUDIT as never,
      lastNoticeId: NEWEST_NOTICE as never,
    }),
  })
  // all are derived in steps, or none
  await byPattern[0]?.finish(ctx)
}

/** What an archive needs and has not brought; of the `found` rows of a first import, the parts that lack some. */
function listLacking(
  missing: { readonly roles: string | null; readonly fields: string | null } | undefined,
  counted: readonly { readonly name: string }[],
  found: Readonly<Record<string, number>> | undefined,
  counts: Readonly<Record<string, number>>,
): string[] {
  return [
    ...(missing?.roles ? [`groups with the roles ${missing.roles}`] : []),
    ...(missing?.fields ? [`the fields ${missing.fields}`] : []),
    ...counted.flatMap(({ name }, n) => {
      const rows = Number(found?.[`n${n}`] ?? 0)
      return found !== undefined && rows !== counts[name]
        ? [`${counts[name]} lines of ${name}, of which ${rows} are in`]
        : []
    }),
  ]
}

/** Rows that a later archive no longer has. What something still refers to stays. */
async function removeStale(
  ctx: PersonCtx,
  state: Parameters<typeof parseStale>[0] & Parameters<typeof parseProgress>[0],
): Promise<void> {
  const [stale, progress] = [parseStale(state), parseProgress(state)]
  for (const { name, table, lists } of PARTS.filter(isWhole).toReversed()) {
    const isGone = (id: SQLiteColumn) =>
      sql`(${id} > ${progress[name] ?? 0} OR ${id} IN ${jsonList(stale[name] ?? [])})`
    try {
      await commit(ctx, {
        lists: lists.map((list) => sql`DELETE FROM ${list.table} WHERE ${isGone(list.owner)}`),
        rows: sql`DELETE FROM ${table} WHERE ${isGone(table.id)}`,
      })
    } catch (error) {
      if (!(error instanceof WriteConflict)) {
        throw error
      }
    }
  }
}

function personOf(login: string): SQL {
  return sql`(SELECT ${u.id} FROM users u WHERE ${u.loginFold} = ${login})`
}

const PERSON = columnNames(
  ...[users.login, users.realName, users.realNameFold, users.passwordHash, users.createdAt],
)

/** The account behind all others, unless the archive has one of the login. */
function ownAccount(login: string): Statement[] {
  return [
    sql`INSERT INTO users (${columnName(users.loginFold)}, ${PERSON})
      SELECT ${login}, ${u.login}, ${u.realName}, ${u.realNameFold}, ${u.passwordHash}, ${u.createdAt}
      FROM users u WHERE ${u.id} < 0
        AND NOT EXISTS (SELECT 1 FROM users WHERE ${users.loginFold} = ${login})`,
    // an archive without credentials must not lock the administrator out
    sql`UPDATE users SET ${columnName(users.passwordHash)} = (SELECT ${u.passwordHash} FROM users u WHERE ${u.id} < 0)
      WHERE ${users.loginFold} = ${login} AND ${users.passwordHash} IS NULL`,
  ]
}

/** The key of the import: the one that the archive has, or one behind all others. */
function unparkKeys(login: string): Statement[] {
  return [
    sql`DELETE FROM api_keys WHERE ${apiKeys.id} < 0 AND EXISTS (SELECT 1 FROM api_keys k
      WHERE ${k.hash} = ${PARKED_NAME} || ${apiKeys.hash})`,
    sql`UPDATE api_keys SET ${columnName(apiKeys.hash)} = substr(${apiKeys.hash}, ${PARKED_NAME.length + 1})
      WHERE substr(${apiKeys.hash}, 1, ${PARKED_NAME.length}) = ${PARKED_NAME}`,
    sql`UPDATE api_keys SET ${columnName(apiKeys.id)} = (SELECT max(0, max(${k.id})) FROM api_keys k)
          + (SELECT count(*) FROM api_keys k WHERE ${k.id} < 0 AND ${k.id} >= ${apiKeys.id}),
        ${columnName(apiKeys.userId)} = ${personOf(login)}
      WHERE ${apiKeys.id} < 0`,
    sql`UPDATE api_keys SET ${columnName(apiKeys.userId)} = ${personOf(login)} WHERE ${apiKeys.userId} < 0`,
  ]
}

/** The administrator stays one. */
function keepRight(login: string): Statement[] {
  const who = sql`FROM users u, access_groups g WHERE ${u.loginFold} = ${login} AND ${g.role} = 'admin' AND ${g.id} > 0
    AND NOT EXISTS (SELECT 1 FROM memberships WHERE ${memberships.userId} = ${u.id} AND ${memberships.groupId} = ${g.id})`
  return [
    sql`INSERT INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      SELECT ${u.id}, ${g.id}, 'direct' ${who}`,
    ...recomputeMembershipsStatements(personOf(login)),
  ]
}

/** A later archive may have groups without the patterns that an earlier one gave them. */
function dropMembersWithoutPattern(): Statement {
  return sql`DELETE FROM group_members WHERE ${groupMembers.source} = 'regexp' AND ${groupMembers.groupId} IN (
    SELECT ${groups.id} FROM access_groups WHERE ${groups.userRegexp} = '')`
}

function removeParked(): Statement[] {
  return [
    sql`DELETE FROM memberships WHERE ${memberships.userId} < 0`,
    sql`DELETE FROM group_members WHERE ${groupMembers.userId} < 0`,
    sql`DELETE FROM access_groups WHERE ${groups.id} < 0`,
    sql`DELETE FROM users WHERE ${users.id} < 0`,
  ]
}

/** Rows of history and comments have the numbers of notices that new ones must not have again. */
function continueNumbers(): Statement[] {
  const newest = sql`max(coalesce((SELECT max(${comments.noticeId}) FROM comments WHERE ${comments.noticeId} IS NOT NULL), 0),
    coalesce((SELECT max(${history.noticeId}) FROM history WHERE ${history.noticeId} IS NOT NULL), 0))`
  return [
    sql`INSERT INTO sqlite_sequence SELECT 'notices', 0
      WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'notices')`,
    sql`UPDATE sqlite_sequence SET seq = max(seq, ${newest}) WHERE name = 'notices'`,
  ]
}
