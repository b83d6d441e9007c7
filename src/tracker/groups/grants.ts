import { asc, eq } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import * as z from 'zod'
import { groupUnknown } from '../../platform/access/faults.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupGrants, groups } from '../../platform/db/schema/groups.ts'
import { db } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { selectionInput } from '../../platform/http/operations/shapes.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { type GroupRefs, groupRefsCondition, parseGroupRefs } from './group-refs.ts'

/** The kinds of grants that a group gives to other groups, by their names in the API. */
export const GRANT_KINDS = {
  members_from: 'membership',
  bless_from: 'bless',
  visible_to: 'visible',
} as const

export type GrantField = keyof typeof GRANT_KINDS

export const GRANT_FIELDS = Object.keys(GRANT_KINDS) as GrantField[]

export const getGrants = operation(
  {
    method: 'GET',
    path: '/group/:group/grants',
    summary: 'Read which groups get something from a group',
    reference: 'groups.md#get-grants',
    input: z.object({ group: z.string(), ...selectionInput }),
    output: z
      .strictObject({
        members_from: z.array(z.string()),
        bless_from: z.array(z.string()),
        visible_to: z.array(z.string()),
      })
      .partial(),
    faults: [groupUnknown],
    requires: role('creategroups', 'see the grants of groups'),
    scope: 'read',
  },
  async (ctx, input) => {
    const refs = parseGroupRefs({ id_or_name: input.group })
    const loaded = await readBatch(ctx, {
      groups: db.select({ id: groups.id }).from(groups).where(groupRefsCondition(refs)),
      grants: selectGrants(refs),
    })
    if (loaded.groups.length === 0) {
      throw fault(groupUnknown, { group: input.group.trim() })
    }
    return new Selection(input).prune({
      members_from: listGranteeNames(loaded.grants, 'members_from'),
      bless_from: listGranteeNames(loaded.grants, 'bless_from'),
      visible_to: listGranteeNames(loaded.grants, 'visible_to'),
    })
  },
)

/** Selects the grants of a group: the group that has each one, by name, and its kind. */
export function selectGrants(refs: GroupRefs) {
  const member = alias(groups, 'member')
  return db
    .select({ id: member.id, name: member.name, role: member.role, kind: groupGrants.kind })
    .from(groups)
    .innerJoin(groupGrants, eq(groupGrants.grantingGroupId, groups.id))
    .innerJoin(member, eq(member.id, groupGrants.memberGroupId))
    .where(groupRefsCondition(refs))
    .orderBy(asc(member.nameFold))
}

function listGranteeNames(
  grants: readonly { name: string; kind: string }[],
  field: GrantField,
): string[] {
  return grants.filter(({ kind }) => kind === GRANT_KINDS[field]).map(({ name }) => name)
}
