import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { recomputeMembershipsStatements } from '../access/membership.ts'
import {
  loadLogins,
  rederiveGroupsStatements,
  selectFirstLogins,
} from '../access/regexp-membership.ts'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { newestId, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, prose, text } from '../http/shapes.ts'
import { fold } from '../lib/text.ts'
import { groupDescription, groupIcon, groupName, groupPattern } from './values.ts'

export const createGroupInput = z.object({
  name: text(),
  description: prose(text()),
  user_regexp: text(),
  is_active: flag(),
  icon_url: text(),
})

export const createGroupOutput = z.strictObject({ id: z.int() })

/**
 * POST /group: a group that bugs can be restricted to. Whose login matches its pattern belongs to it at
 * once; administrators belong to it, and hand out and see its membership. Contract "Groups". Faults 410,
 * 304, 800 for a blank name, 801 for one that is taken, 802 without a description, 803 for a pattern
 * that cannot be used, 53 for a name or address that is too long.
 */
export async function createGroup(ctx: Ctx, input: z.output<typeof createGroupInput>) {
  const caller = assertRole(ctx.caller, 'creategroups', 'create groups')
  const name = groupName(input.name)
  const row = {
    name,
    nameFold: fold(name),
    description: groupDescription(input.description),
    isActive: input.is_active ?? true,
    iconUrl: groupIcon(input.icon_url ?? null),
    createdAt: ctx.now,
  }
  const { source, pattern } = await groupPattern(input.user_regexp)
  return retryOnConflict(ctx, async (ctx) => {
    const { taken, logins, moment } = await readBatch(ctx, {
      taken: db.select({ id: groups.id }).from(groups).where(eq(groups.nameFold, row.nameFold)),
      ...(pattern === null ? { logins: undefined, moment: undefined } : selectFirstLogins()),
    })
    if (taken.length > 0) {
      throw fault('groupNameTaken', { name })
    }
    const all = logins && moment ? await loadLogins(ctx, { logins, moment }) : null
    const { group } = await commit(ctx, {
      group: db
        .insert(groups)
        .values({ ...row, userRegexp: source })
        .returning({ id: groups.id }),
      grants: grantedToAdministrators(),
      members: all === null ? [] : rederiveGroupsStatements(newestId(groups), pattern, all),
      audit: auditStatement({
        by: caller.id,
        at: ctx.now,
        objectClass: 'Group',
        objectId: newestId(groups),
        action: 'create',
        changes: creationOf({ ...row, userRegexp: source }),
      }),
    })
    return { id: Number(group[0]?.id) }
  })
}

/** The newest group gives administrators its membership, and the rights to hand that out and to see it. */
function grantedToAdministrators(): Statement[] {
  return [
    sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
      SELECT admins.id, ${newestId(groups)}, kind.column1
      FROM access_groups admins
      JOIN (VALUES ('membership'), ('bless'), ('visible')) kind WHERE admins.role = 'admin'`,
    ...recomputeMembershipsStatements(sql`(SELECT memberships.user_id FROM memberships
      JOIN access_groups admins ON admins.id = memberships.group_id WHERE admins.role = 'admin')`),
  ]
}

function creationOf(row: {
  name: string
  description: string
  userRegexp: string
  isActive: boolean
  iconUrl: string | null
}): Changes {
  return {
    name: { removed: '', added: row.name },
    description: { removed: '', added: row.description },
    user_regexp: { removed: '', added: row.userRegexp },
    is_active: { removed: '', added: row.isActive ? '1' : '0' },
    icon_url: { removed: '', added: row.iconUrl ?? '' },
  }
}
