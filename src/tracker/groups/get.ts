import { asc, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { groupUnknown } from '../../platform/access/faults.ts'
import { selectBlessableGroups } from '../../platform/access/people.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groups, memberships } from '../../platform/db/schema/groups.ts'
import { users } from '../../platform/db/schema/users.ts'
import { db, limitTo, sql } from '../../platform/db/sql.ts'
import { fault } from '../../platform/faults/fault.ts'
import { alsoAt, loggedIn, operation } from '../../platform/http/operations/operation.ts'
import { inReadTurn } from '../../platform/http/operations/read-turns.ts'
import { boolean, ids, names, selectionInput } from '../../platform/http/operations/shapes.ts'
import { orderAsNamed } from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { Selection } from '../../platform/lib/selection.ts'
import { PeoplePresenter } from '../users/people.ts'
import { groupsDenied, membersTooMany } from './faults.ts'
import { assertGroupsKnown, groupRefsCondition, hasNoRefs, parseGroupRefs } from './group-refs.ts'
import { groupShape, presentGroup, presentMember } from './present.ts'

const getGroupsInput = z.object({
  ids: ids(),
  names: names(),
  membership: boolean(),
  ...selectionInput,
})

/** Members in one answer, half a kilobyte each. */
const MAX_MEMBERS = 10_000

type Input = z.output<typeof getGroupsInput> & { id_or_name?: string }

/**
 * The groups of the path, of `ids` and of `names`, or all visible ones, system groups first; with
 * `membership` their members, direct, by pattern or inherited.
 */
export const getGroups = operation(
  {
    method: 'GET',
    path: '/group',
    summary: 'Read groups, and who belongs to them',
    reference: 'groups.md#get-groups',
    input: getGroupsInput,
    output: z.strictObject({ groups: z.array(groupShape) }),
    faults: [groupUnknown, groupsDenied, membersTooMany],
    requires: loggedIn,
    scope: 'read',
  },
  inReadTurn(
    async (ctx, input: Input) => {
      const { caller } = ctx
      const refs = parseGroupRefs(input)
      const selection = new Selection(input)
      const wantsMembers =
        input.membership === true &&
        (selection.includes('membership') || selection.includes('users'))
      const seesAll = hasRole(caller, 'creategroups') || hasRole(caller, 'editusers')
      const condition = hasNoRefs(refs)
        ? seesAll
          ? sql`1`
          : blessableCondition(caller)
        : groupRefsCondition(refs)
      const loaded = await readBatch(ctx, {
        blessable: seesAll ? undefined : selectAnyBlessable(caller),
        groups: selectGroups(condition, caller),
        members: wantsMembers ? selectMembers(condition) : undefined,
      })
      if (loaded.blessable?.length === 0) {
        throw fault(groupsDenied)
      }
      assertGroupsKnown({ ...refs, ids: [] }, loaded.groups)
      if (!seesAll && loaded.groups.some(({ isBlessable }) => isBlessable === 0)) {
        throw fault(groupsDenied)
      }
      if ((loaded.members?.length ?? 0) > MAX_MEMBERS) {
        throw fault(membersTooMany, { most: MAX_MEMBERS })
      }
      const people = new PeoplePresenter(caller, ctx.settings)
      const members = Map.groupBy(loaded.members ?? [], ({ groupId }) => groupId)
      const view = {
        showsConfiguration: hasRole(caller, 'creategroups'),
        flagsAreBooleans: ctx.settings.GROUP_FLAGS_AS_BOOLEANS,
      }
      const rows = hasNoRefs(refs) ? loaded.groups : orderAsNamed(refs, loaded.groups)
      return {
        groups: rows.map((row) => {
          const groupMembers =
            members.get(row.id)?.map((member) => presentMember(member, people)) ?? []
          return selection.prune(presentGroup(row, view, wantsMembers ? groupMembers : undefined))
        }),
      }
    },
    (input) => hasNoRefs(parseGroupRefs(input)) || input.membership === true,
  ),
)

export const getGroup = alsoAt(getGroups, {
  path: '/group/:id_or_name',
  summary: 'Read one group, and who belongs to it',
  input: getGroupsInput.extend({ id_or_name: z.string() }),
})

function blessableCondition(caller: Person): SQL {
  return sql`${groups.id} IN ${selectBlessableGroups(caller)}`
}

function selectAnyBlessable(caller: Person) {
  return db.select({ id: groups.id }).from(groups).where(blessableCondition(caller)).limit(1)
}

function selectGroups(condition: SQL, caller: Person) {
  return db
    .select({
      ...pick(groups, 'id', 'name', 'description', 'isBugGroup', 'isActive', 'userRegexp'),
      isBlessable: sql<number>`${blessableCondition(caller)}`.as('is_blessable'),
    })
    .from(groups)
    .where(condition)
    .orderBy(asc(groups.isBugGroup), asc(groups.nameFold))
}

/** One more than an answer may have shows that there are too many, which are not sorted. */
function selectMembers(condition: SQL) {
  const member = sql`(SELECT ${memberships.groupId} AS group_id, ${memberships.userId} AS user_id
    FROM access_groups JOIN memberships ON ${memberships.groupId} = ${groups.id}
    WHERE ${condition} ${limitTo(MAX_MEMBERS + 1)}) AS member`
  return db
    .select({
      groupId: sql<number>`member.group_id`.as('group_id'),
      ...pick(users, 'id', 'login', 'realName', 'nick', 'loginDeniedText', 'emailEnabled'),
    })
    .from(member)
    .innerJoin(users, sql`${users.id} = member.user_id`)
    .orderBy(asc(users.loginFold))
}
