import { desc, eq, type SQL } from 'drizzle-orm'
import { accountColumns } from '../../platform/access/account.ts'
import type { BearerRow } from '../../platform/access/bearer.ts'
import { unlimitedKeyCondition } from '../../platform/access/key-scope.ts'
import { ROLES } from '../../platform/access/roles.ts'
import type { Ctx } from '../../platform/context.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupMembers, groups } from '../../platform/db/schema/groups.ts'
import { apiKeys, users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { fold } from '../../platform/lib/text.ts'

const m = aliasColumns(groupMembers, 'm')
const g = aliasColumns(groups, 'g')

/** A key that may sign events, with its owner. */
export type BotKey = BearerRow & {
  readonly hash: string
  /** The key, encrypted. */
  readonly sealed: string
}

/**
 * Loads the usable keys of the direct members of the bot group, those used last first. Keys that are revoked or
 * expired, or whose account is disabled, are none. Nor are limited keys, because a push acts with all rights.
 */
export async function loadBotKeys(ctx: Ctx): Promise<BotKey[]> {
  const { keys } = await readBatch(ctx, {
    keys: db
      .select({
        ...accountColumns,
        keyId: sql<number>`${apiKeys.id}`.as('key_id'),
        hash: apiKeys.hash,
        sealed: sql<string>`${apiKeys.sealed}`.as('sealed'),
        lastUsedAt: apiKeys.lastUsedAt,
        expiresAt: apiKeys.expiresAt,
        revoked: sql<number>`${apiKeys.revoked}`.as('revoked'),
        boundIp: sql<null>`NULL`.as('bound_ip'),
        canWrite: sql<number>`1`.as('can_write'),
        canAdminister: sql<number>`1`.as('can_administer'),
        productIds: sql<null>`NULL`.as('product_ids'),
      })
      .from(apiKeys)
      .innerJoin(users, eq(users.id, apiKeys.userId))
      .where(
        sql`${apiKeys.userId} IN (SELECT ${m.userId} FROM group_members m
            JOIN access_groups g ON ${g.id} = ${m.groupId}
            WHERE ${isBotGroup(ctx)} AND ${m.source} = 'direct')
          AND ${users.loginDeniedText} = '' AND ${apiKeys.revoked} = 0 AND ${apiKeys.sealed} IS NOT NULL
          AND ${unlimitedKeyCondition}
          AND (${apiKeys.expiresAt} IS NULL OR ${apiKeys.expiresAt} > ${ctx.now})`,
      )
      .orderBy(desc(apiKeys.lastUsedAt), apiKeys.id),
  })
  return keys
}

/** A role names its system group, however that is called; any other text is the name of a group. */
function isBotGroup({ settings }: Ctx): SQL {
  const name = settings.CODEHOST_BOT_GROUP.trim()
  return ROLES.some((role) => role === name)
    ? sql`${g.role} = ${name}`
    : sql`${g.nameFold} = ${fold(name)}`
}
