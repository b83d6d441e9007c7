import { asc, eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { db } from '../db/client.ts'
import { readBatch } from '../db/read-batch.ts'
import { groupGrants, groups } from '../db/schema/groups.ts'
import { fault } from '../faults.ts'
import { selectionInput } from '../http/shapes.ts'
import { Selection } from '../lib/selection.ts'
import { type GroupRefs, groupRefsCondition, parseGroupRefs } from './group-refs.ts'

/** What other groups get from a group, by the name on the wire. */
export const GRANT_KINDS = {
  members_from: 'membership',
  bless_from: 'bless',
  visible_to: 'visible',
} as const

export type GrantField = keyof typeof GRANT_KINDS

export const GRANT_FIELDS = Object.keys(GRANT_KINDS) as GrantField[]

export const getGrantsInput = z.object({ group: z.string(), ...selectionInput })

export const getGrantsOutput = z
  .strictObject({
    members_from: z.array(z.string()),
    bless_from: z.array(z.string()),
    visible_to: z.array(z.string()),
  })
  .partial()

/**
 * GET /group/{group}/grants: the names of the groups whose members belong to the group, may hand out its
 * membership, or see who belongs to it. Administration API "Groups". Faults 410, 304, 51, 52.
 */
export async function getGrants(ctx: Ctx, input: z.output<typeof getGrantsInput>) {
  assertRole(ctx.caller, 'creategroups', 'see the grants of groups')
  const asked = parseGroupRefs({ id_or_name: input.group })
  const found = await readBatch(ctx, {
    groups: db.select({ id: groups.id }).from(groups).where(groupRefsCondition(asked)),
    grants: selectGrants(asked),
  })
  if (found.groups.length === 0) {
    throw fault('groupUnknown', { group: input.group.trim() })
  }
  return new Selection(input).prune({
    members_from: listGranteeNames(found.grants, 'members_from'),
    bless_from: listGranteeNames(found.grants, 'bless_from'),
    visible_to: listGranteeNames(found.grants, 'visible_to'),
  })
}

/** The grants of the group asked for: to which group, by its name, and what. */
export function selectGrants(asked: GroupRefs) {
  const member = alias(groups, 'member')
  return db
    .select({ id: member.id, name: member.name, role: member.role, kind: groupGrants.kind })
    .from(groups)
    .innerJoin(groupGrants, eq(groupGrants.grantingGroupId, groups.id))
    .innerJoin(member, eq(member.id, groupGrants.memberGroupId))
    .where(groupRefsCondition(asked))
    .orderBy(asc(member.nameFold))
}

function listGranteeNames(
  grants: readonly { name: string; kind: string }[],
  field: GrantField,
): string[] {
  return grants.filter(({ kind }) => kind === GRANT_KINDS[field]).map(({ name }) => name)
}
