import { asc, eq, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../access/caller.ts'
import { selectBlessableGroups } from '../access/people.ts'
import { assertLoggedIn } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups, memberships } from '../db/schema/groups.ts'
import { users } from '../db/schema/users.ts'
import { sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { flag, ids, names, selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { People } from '../users/people.ts'
import { groupShape, presentGroup, presentMember } from './present.ts'
import {
  askedGroups,
  asksForAll,
  inOrder,
  isAsked,
  refuseUnknownNames,
} from './requested-groups.ts'

export const getGroupsInput = z.object({
  ids: ids(),
  names: names(),
  membership: flag(),
  ...selectionInput,
})

export const getGroupInput = getGroupsInput.extend({ id_or_name: z.string() })

export const getGroupsOutput = z.strictObject({ groups: z.array(groupShape) })

type Input = z.output<typeof getGroupsInput> & { id_or_name?: string }

/**
 * GET /group and GET /group/{id_or_name}: the groups of the path, of `ids` and of `names`, or all that
 * the caller may know, administrative ones first; with `membership` everybody who belongs to them by
 * hand, by pattern or by inheritance. Contract "Groups". Faults: 410; 52 for an ID that is no number; 805
 * for who neither creates groups nor edits users nor hands out the membership of any, or not of one that
 * is asked for; 51 for an unknown name.
 */
export async function getGroups(ctx: Ctx, input: Input) {
  const caller = assertLoggedIn(ctx.caller)
  const asked = askedGroups(input)
  const selection = new Selection(input)
  const wantsMembers =
    input.membership === true && (selection.wants('membership') || selection.wants('users'))
  const seesAll = hasRole(caller, 'creategroups') || hasRole(caller, 'editusers')
  const wanted = asksForAll(asked) ? (seesAll ? sql`1` : mayBless(caller)) : isAsked(asked)
  const found = await readBatch(ctx, {
    blessed: seesAll ? undefined : blessesAny(caller),
    groups: groupsWhere(wanted, caller),
    members: wantsMembers ? membersWhere(wanted) : undefined,
  })
  if (found.blessed?.length === 0) {
    throw fault('groupsDenied')
  }
  refuseUnknownNames(asked, found.groups)
  if (!seesAll && found.groups.some(({ isBlessable }) => isBlessable === 0)) {
    throw fault('groupsDenied')
  }
  const people = new People(caller, ctx.settings)
  const members = Map.groupBy(found.members ?? [], ({ groupId }) => groupId)
  const isFull = hasRole(caller, 'creategroups')
  const rows = asksForAll(asked) ? found.groups : inOrder(asked, found.groups)
  return {
    groups: rows.map((row) => {
      const its = members.get(row.id)?.map((member) => presentMember(member, people)) ?? []
      return selection.prune(presentGroup(row, isFull, wantsMembers ? its : undefined))
    }),
  }
}

function mayBless(caller: Person): SQL {
  return sql`access_groups.id IN ${selectBlessableGroups(caller)}`
}

function blessesAny(caller: Person) {
  return db.select({ id: groups.id }).from(groups).where(mayBless(caller)).limit(1)
}

function groupsWhere(wanted: SQL, caller: Person) {
  return db
    .select({
      id: groups.id,
      name: groups.name,
      description: groups.description,
      isBugGroup: groups.isBugGroup,
      isActive: groups.isActive,
      userRegexp: groups.userRegexp,
      isBlessable: sql<number>`${mayBless(caller)}`.as('is_blessable'),
    })
    .from(groups)
    .where(wanted)
    .orderBy(asc(groups.isBugGroup), asc(groups.nameFold))
}

function membersWhere(wanted: SQL) {
  return db
    .select({
      groupId: memberships.groupId,
      id: users.id,
      login: users.login,
      realName: users.realName,
      nick: users.nick,
      loginDeniedText: users.loginDeniedText,
      emailEnabled: users.emailEnabled,
    })
    .from(groups)
    .innerJoin(memberships, eq(memberships.groupId, groups.id))
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(wanted)
    .orderBy(asc(users.loginFold))
}
