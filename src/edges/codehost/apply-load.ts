import { and, eq, isNull, type SQL } from 'drizzle-orm'
import { accountColumns, requireEnabledPerson } from '../../platform/access/account.ts'
import { bugsById } from '../../platform/access/bug-set.ts'
import { type Person, SYSTEM, withFullRights } from '../../platform/access/caller.ts'
import type { Ctx } from '../../platform/context.ts'
import { abortIf, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { bugKeywords, bugs } from '../../platform/db/schema/bugs.ts'
import { codehostDeliveries, codehostPushes } from '../../platform/db/schema/codehost.ts'
import { fieldValues, keywords } from '../../platform/db/schema/fields.ts'
import { flags, flagTypeScopes, flagTypes } from '../../platform/db/schema/flags.ts'
import { groups } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { aliasColumns, db, sql } from '../../platform/db/sql.ts'
import { scopesOfProductsCondition } from '../../tracker/flags/scopes.ts'

const g = aliasColumns(groups, 'g')
const k = aliasColumns(keywords, 'k')
const b = aliasColumns(bugKeywords, 'b')
const v = aliasColumns(fieldValues, 'v')
const f = aliasColumns(flags, 'f')
const t = aliasColumns(flagTypes, 't')

/** The folded name of the keyword of bugs that a push does not resolve. */
const LEAVE_OPEN = 'leave-open'

/** What decides about the effects of a push on a bug beside the comment. */
export type PushState = {
  readonly isOpen: boolean
  readonly isLeftOpen: boolean
  /** Whether the bug has the flag in any status. */
  readonly hasFlag: boolean
  readonly hasFlagType: boolean
  /** All of it as the database tells it, to compare. */
  readonly json: string
}

/**
 * Loads the bot, with the full rights that it has here, and the state of the bug; undefined when the row is no longer
 * under this claim.
 */
export async function loadPush(
  ctx: Ctx,
  {
    id,
    attempts,
    bugId,
  }: { readonly id: number; readonly attempts: number; readonly bugId: number },
  flag: string,
): Promise<{ bot: Person; state: PushState } | undefined> {
  const { rows } = await readBatch(ctx, {
    rows: db
      .select({
        ...accountColumns,
        allGroups: sql<string>`(SELECT json_group_array(${g.id}) FROM access_groups g)`.as(
          'all_groups',
        ),
        state: sql<string>`${selectState(bugId, flag)}`.as('state'),
        hasFlagType: sql<boolean>`EXISTS (SELECT 1 FROM flag_types t
          JOIN flag_type_scopes ON ${flagTypeScopes.flagTypeId} = ${t.id} AND ${flagTypeScopes.isExclusion} = 0
          WHERE ${t.name} = ${flag} AND ${t.target} = 'bug' AND ${t.isActive} = 1
            AND ${scopesOfProductsCondition(sql`(SELECT ${bugs.productId} FROM bugs WHERE ${bugs.id} = ${bugId})`)})`
          .mapWith(Boolean)
          .as('has_flag_type'),
      })
      .from(codehostPushes)
      .innerJoin(codehostDeliveries, eq(codehostDeliveries.id, codehostPushes.deliveryId))
      .innerJoin(users, eq(users.id, codehostDeliveries.botId))
      .where(
        and(
          eq(codehostPushes.id, id),
          eq(codehostPushes.attempts, attempts),
          isNull(codehostPushes.doneAt),
        ),
      ),
  })
  const [row] = rows
  if (row === undefined) {
    return undefined
  }
  // the account was enabled when the push arrived
  const bot = requireEnabledPerson({ ...row, loginDeniedText: '' })
  const [, isOpen, isLeftOpen, hasFlag] = JSON.parse(row.state) as number[]
  return {
    bot: withFullRights(bot, JSON.parse(row.allGroups) as number[]),
    state: {
      isOpen: isOpen === 1,
      isLeftOpen: isLeftOpen === 1,
      hasFlag: hasFlag === 1,
      hasFlagType: row.hasFlagType,
      json: row.state,
    },
  }
}

/** Fails the commit when something has changed that the effects were decided by. */
export function abortIfStateChanged(bugId: number, { json }: PushState, flag: string): Statement {
  return abortIf(sql`${selectState(bugId, flag)} IS NOT ${json}`)
}

function selectState(bugId: number, flag: string): SQL {
  return sql`(SELECT json_array(${bugs.revision},
      (SELECT ${v.isOpen} FROM field_values v WHERE ${v.id} = ${bugs.statusId}),
      EXISTS (SELECT 1 FROM bug_keywords b JOIN keywords k ON ${k.id} = ${b.keywordId}
        WHERE ${b.bugId} = ${bugs.id} AND ${k.nameFold} = ${LEAVE_OPEN}),
      EXISTS (SELECT 1 FROM flags f JOIN flag_types t ON ${t.id} = ${f.typeId}
        WHERE ${f.bugId} = ${bugs.id} AND ${f.attachmentId} IS NULL AND ${t.name} = ${flag}))
    FROM bugs WHERE ${bugsById(SYSTEM, [bugId]).condition})`
}
