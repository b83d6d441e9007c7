import type { SQL } from 'drizzle-orm'
import type { PersonCtx } from '../../platform/context.ts'
import { abortIf, abortUnlessChanged, commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { accountLinks, secondFactors } from '../../platform/db/schema/accounts.ts'
import { auditLog } from '../../platform/db/schema/audit.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { commentWordRange } from '../../platform/db/schema/comment-words.ts'
import { fields, keywords } from '../../platform/db/schema/fields.ts'
import { groupMembers, groups, memberships } from '../../platform/db/schema/groups.ts'
import { idempotencyKeys } from '../../platform/db/schema/idempotency.ts'
import { imports } from '../../platform/db/schema/imports.ts'
import { products } from '../../platform/db/schema/products.ts'
import { apiKeyMails, apiKeys, sessions, tokens, users } from '../../platform/db/schema/users.ts'
import { aliasColumns, columnName, columnNames, db, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { sha256Hex } from '../../platform/lib/crypto/secrets.ts'
import { importNeedsKey, importOfOther, trackerInUse, trackerNotEmpty } from './faults.ts'
import { PARKED_BELOW, parkedId, selectImport } from './import-state.ts'
import { PARTS, TABLES_LEFT_OUT } from './parts.ts'

const b = aliasColumns(bugs, 'b')
const u = aliasColumns(users, 'u')
const p = aliasColumns(products, 'p')
const f = aliasColumns(fields, 'f')
const k = aliasColumns(keywords, 'k')
const g = aliasColumns(groups, 'g')

/** The newest entry of the audit log and the newest notice that there have ever been. */
export const NEWEST_AUDIT = sql<number>`(SELECT coalesce(max(${auditLog.id}), 0) FROM audit_log)`
export const NEWEST_NOTICE = sql<number>`coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'notices'), 0)`

/** What stands in front of names that give way. No name begins with it. */
export const PARKED_NAME = '\u0001'

/**
 * Begins an import, or goes on with it: with an empty tracker, whose sample product and flag types give way, or with
 * one that only imports of the same source have filled.
 */
export async function beginImport(ctx: PersonCtx, source: string, archive: string): Promise<void> {
  const { caller } = ctx
  const { imported, facts } = await readBatch(ctx, {
    imported: selectImport(),
    facts: db
      .select({
        bugs: exists(sql`bugs b WHERE ${b.id} > 0`).as('has_bugs'),
        people: exists(sql`users u WHERE ${u.id} <> ${caller.id}`).as('has_people'),
        products: exists(sql`products p WHERE ${p.nameFold} <> 'testproduct'`).as('has_products'),
        fields: exists(sql`fields f WHERE ${f.isCustom} = 1`).as('has_fields'),
        keywords: exists(sql`keywords k WHERE ${k.id} > 0`).as('has_keywords'),
        groups: exists(sql`access_groups g WHERE ${g.role} IS NULL`).as('has_groups'),
        newestAudit: NEWEST_AUDIT.as('newest_audit'),
        newestNotice: NEWEST_NOTICE.as('newest_notice'),
      })
      .from(sql`(SELECT 1)`),
  })
  const [before] = imported
  const { newestAudit = 0, newestNotice = 0, ...contents } = facts[0] ?? {}
  if (before === undefined) {
    const found = Object.entries(contents).filter(([, has]) => has === 1)
    if (found.length > 0) {
      throw fault(trackerNotEmpty, { things: found.map(([name]) => name).join(', ') })
    }
    await commit(ctx, {
      unchanged: abortIf(sql`EXISTS (SELECT 1 FROM bugs b) OR EXISTS (SELECT 1 FROM imports)`),
      parked: await parkAdministrator(ctx, true),
      emptied: emptyTracker(),
      row: db.insert(imports).values({
        id: 1,
        source,
        archive,
        isFirst: true,
        beganAt: ctx.now,
        userId: parkedId(caller.id),
      }),
    })
    return
  }
  if (before.source !== source) {
    throw fault(importOfOther, { source: before.source })
  }
  const isOpen = before.endedAt === null
  if (isOpen && before.archive === archive) {
    return
  }
  if (!isOpen && (newestAudit > before.lastAuditId || newestNotice > before.lastNoticeId)) {
    throw fault(trackerInUse)
  }
  const revision = sql`${imports.archive} = ${before.archive} AND ${imports.endedAt} IS ${before.endedAt}`
  await commit(ctx, {
    row: [
      db
        .update(imports)
        .set({
          archive,
          isFirst: false,
          progress: '{}',
          stale: '{}',
          endedAt: null,
          ...(isOpen ? {} : { beganAt: ctx.now, userId: parkedId(caller.id) }),
        })
        .where(revision),
      abortUnlessChanged(),
    ],
    parked: isOpen ? [] : await parkAdministrator(ctx, false),
    own: before.ownUserId === caller.id ? removeOwnAccount(caller.id) : [],
  })
}

function exists(from: SQL): SQL<number> {
  return sql<number>`EXISTS (SELECT 1 FROM ${from})`
}

/**
 * Moves the caller, their keys and the right to import out of the way. In an empty tracker the group goes
 * along, because the archive brings its own.
 */
async function parkAdministrator(
  { caller, credentials }: PersonCtx,
  withGroup: boolean,
): Promise<Statement[]> {
  if (credentials.key === undefined) {
    throw fault(importNeedsKey)
  }
  const hash = await sha256Hex(credentials.key)
  const id = parkedId(caller.id)
  const account = columnNames(
    ...[users.id, users.login, users.loginFold, users.realName, users.realNameFold],
    ...[users.passwordHash, users.emailEnabled, users.createdAt],
  )
  const group = columnNames(
    ...[groups.id, groups.name, groups.nameFold, groups.description, groups.isBugGroup],
    ...[groups.createdAt],
  )
  const adminGroup = sql`(SELECT ${g.id} FROM access_groups g WHERE ${g.role} = 'admin')`
  return [
    sql`INSERT INTO users (${account}) SELECT ${id}, ${u.login}, ${PARKED_NAME} || ${u.loginFold},
        ${u.realName}, ${u.realNameFold}, ${u.passwordHash}, 0, ${u.createdAt}
      FROM users u WHERE ${u.id} = ${caller.id}`,
    sql`DELETE FROM api_key_mails WHERE ${apiKeyMails.keyId} IN
      (SELECT ${apiKeys.id} FROM api_keys WHERE ${apiKeys.userId} = ${caller.id})`,
    sql`UPDATE api_keys SET ${columnName(apiKeys.userId)} = ${id},
        ${columnName(apiKeys.id)} = ${PARKED_BELOW} - ${apiKeys.id}
      WHERE ${apiKeys.userId} = ${caller.id}`,
    abortIf(
      sql`NOT ${exists(sql`api_keys WHERE ${apiKeys.hash} = ${hash} AND ${apiKeys.id} < 0`)}`,
    ),
    ...(withGroup
      ? [
          sql`INSERT INTO access_groups (${group}) SELECT ${PARKED_BELOW} - ${g.id}, ${g.name},
              ${PARKED_NAME} || ${g.nameFold}, ${g.description}, 0, ${g.createdAt}
            FROM access_groups g WHERE ${g.role} = 'admin'`,
          sql`UPDATE access_groups SET ${columnName(groups.role)} = NULL WHERE ${groups.role} = 'admin'`,
          sql`UPDATE access_groups SET ${columnName(groups.role)} = 'admin' WHERE ${groups.id} < 0`,
        ]
      : []),
    sql`INSERT INTO group_members (${columnNames(groupMembers.userId, groupMembers.groupId, groupMembers.source)})
      VALUES (${id}, ${adminGroup}, 'direct')`,
    sql`INSERT INTO memberships (${columnNames(memberships.userId, memberships.groupId)})
      VALUES (${id}, ${adminGroup})`,
  ]
}

/** The account that an earlier import added gives way too: the archive may have another one of its number by now. */
function removeOwnAccount(id: number): Statement[] {
  const lists = PARTS.filter(({ table }) => table === users).flatMap((part) => part.lists)
  return [
    ...lists.map(({ table, owner }) => sql`DELETE FROM ${table} WHERE ${owner} = ${id}`),
    sql`DELETE FROM memberships WHERE ${memberships.userId} = ${id}`,
    sql`DELETE FROM group_members WHERE ${groupMembers.userId} = ${id}`,
    sql`DELETE FROM tokens WHERE ${tokens.userId} = ${id}`,
    sql`DELETE FROM sessions WHERE ${sessions.userId} = ${id}`,
    sql`DELETE FROM second_factors WHERE ${secondFactors.userId} = ${id}`,
    sql`DELETE FROM account_links WHERE ${accountLinks.userId} = ${id}`,
    sql`DELETE FROM idempotency_keys WHERE ${idempotencyKeys.userId} = ${id}`,
    sql`UPDATE api_keys SET ${columnName(apiKeys.userId)} = ${parkedId(id)} WHERE ${apiKeys.userId} = ${id}`,
    sql`DELETE FROM users WHERE ${users.id} = ${id}`,
  ]
}

const KEPT_TABLES: ReadonlySet<string> = new Set([
  'imports',
  'memberships',
  'comment_tag_weights',
  'comment_words',
  'comment_word_range',
])

/** Removes everything but what is parked. Rows go before those that they refer to. */
function emptyTracker(): Statement[] {
  const leftOut = Object.keys(TABLES_LEFT_OUT).filter((name) => !KEPT_TABLES.has(name))
  return [
    // words of comments that are gone find nothing
    sql`UPDATE comment_word_range SET ${columnName(commentWordRange.after)} = 0, ${columnName(commentWordRange.newest)} = 0`,
    ...leftOut.map((name) => sql`DELETE FROM ${sql.identifier(name)}`),
    sql`DELETE FROM custom_values`,
    sql`DELETE FROM api_keys WHERE ${apiKeys.id} > 0`,
    sql`DELETE FROM memberships WHERE ${memberships.userId} > 0`,
    ...PARTS.toReversed().flatMap(({ table, isAddition, lists }) => [
      ...lists.map((list) => sql`DELETE FROM ${list.table} WHERE ${list.owner} > 0`),
      ...(isAddition ? [] : [sql`DELETE FROM ${table} WHERE ${table.id} > 0`]),
    ]),
    // numbers are those of the archive, and go on behind its highest
    sql`DELETE FROM sqlite_sequence`,
  ]
}
