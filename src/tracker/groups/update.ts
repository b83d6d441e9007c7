import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  addGroupsStatements,
  assertPairLimit,
  countGroupPairs,
  selectLackingMandatory,
} from '../../platform/access/bug-groups.ts'
import { hasRole } from '../../platform/access/caller.ts'
import { groupUnknown, notAuthorized, tooManyBugs } from '../../platform/access/faults.ts'
import {
  deriveMembers,
  membersAtOnce,
  selectFirstLogins,
} from '../../platform/access/membership-steps.ts'
import type { Changes } from '../../platform/db/audit.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupGrants, groups } from '../../platform/db/schema/groups.ts'
import { groupControls, products } from '../../platform/db/schema/products.ts'
import { aliasColumns, columnName, db, jsonList, sql } from '../../platform/db/sql.ts'
import { type Author, updateAudited } from '../../platform/db/write-audited.ts'
import { assertAtMost } from '../../platform/faults/checks.ts'
import { fault } from '../../platform/faults/fault.ts'
import { inTurnOfLargeEdits } from '../../platform/http/operations/large-edits.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import {
  boolean,
  changedObjects,
  clearableText,
  ids,
  limitLength,
  names,
  strictInput,
  text,
} from '../../platform/http/operations/shapes.ts'
import { diffFields } from '../../platform/lib/differences.ts'
import { orderAsNamed } from '../../platform/lib/id-or-name.ts'
import { omitUndefined } from '../../platform/lib/omit-undefined.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { createGroupFaults, groupNameForSeveral, groupNameTaken } from './faults.ts'
import {
  assertGroupsKnown,
  type GroupRefs,
  groupRefsCondition,
  parseGroupRefs,
} from './group-refs.ts'
import { assertPatternsFit, selectPatternCounts } from './patterns.ts'
import {
  type GroupState,
  parseGroupDescription,
  parseGroupIcon,
  parseGroupName,
  parseGroupPattern,
  presentGroupState,
} from './values.ts'

const u = aliasColumns(groups, 'u')

// a misspelled pattern would leave people their rights
const updateGroupInput = strictInput(
  {
    id_or_name: z.string(),
    ids: ids(),
    names: names(),
    name: text(),
    description: limitLength(text()),
    user_regexp: clearableText(),
    is_active: boolean(),
    icon_url: clearableText(),
  },
  'id',
  'is_bug_group',
  'users',
  'membership',
)

type Input = z.output<typeof updateGroupInput>

/** The commit writes one entry of the audit log per group. */
const MAX_GROUPS = 500

type GroupUpdate = { [Field in keyof GroupState]?: GroupState[Field] | undefined }

type GroupRow = GroupState & { id: number; revision: number; givesRole: number }

type GroupDecision = { row: GroupRow; changes: Changes }

/**
 * Changes the groups of the path, of `ids` and of `names`, all or none. A new pattern updates the members;
 * to activate a group adds it to the bugs of the products where it is mandatory.
 */
export const updateGroups = operation(
  {
    method: 'PUT',
    path: '/group/:id_or_name',
    summary: 'Change groups',
    reference: 'groups.md#change-groups',
    input: updateGroupInput,
    output: changedObjects('groups'),
    faults: [...createGroupFaults, groupNameForSeveral, groupUnknown, tooManyBugs],
    requires: role('creategroups', 'change groups'),
    scope: 'write',
  },
  inTurnOfLargeEdits(async (ctx, input: Input) => {
    const { caller } = ctx
    const refs = parseGroupRefs(input)
    const named = refs.ids.length + refs.names.length
    assertAtMost(MAX_GROUPS, named, 'ids', 'groups at once')
    const { source, pattern } = await parseGroupPattern(input.user_regexp)
    const update = parseUpdate(input, source)
    const loaded = await readBatch(ctx, {
      groups: selectGroups(refs, update.name),
      bugsToAdd: update.isActive === true ? countGroupPairs(selectBugsToAdd(refs)) : undefined,
      patterns: update.userRegexp === undefined ? undefined : selectPatternCounts(named > 1),
      logins: update.userRegexp === undefined ? undefined : selectFirstLogins(named),
    })
    const rows = orderAsNamed(refs, loaded.groups)
    assertGroupsKnown({ ...refs, ids: [] }, rows)
    assertGroupsKnown(refs, rows)
    assertNameAvailable(update.name, rows, loaded.groups)
    assertPairLimit(loaded.bugsToAdd)
    const decisions = rows.map((row) => ({ row, changes: compareStates(row, update) }))
    const rederived = decisions.filter(({ changes }) => changes.user_regexp !== undefined)
    if (rederived.some(({ row }) => row.givesRole === 1) && !hasRole(caller, 'admin')) {
      throw fault(notAuthorized, { action: 'choose the members of system groups by a pattern' })
    }
    assertPatternsFit(loaded.patterns?.[0], {
      added: pattern === null ? 0 : rederived.filter(({ row }) => row.userRegexp === '').length,
      changed: rederived.length,
    })
    const members =
      loaded.logins === undefined || rederived.length === 0
        ? membersAtOnce()
        : await deriveMembers(idsOf(rederived), pattern, loaded.logins, named)
    await commit(ctx, {
      groups: updateGroupsStatements(ctx, update, decisions),
      bugs: activityStatements(decisions, ctx),
      members: members.statements,
    })
    await members.finish(ctx)
    return { groups: decisions.map(({ row, changes }) => ({ id: row.id, changes })) }
  }),
)

function parseUpdate(input: Input, userRegexp: string): GroupUpdate {
  return {
    name: input.name === undefined ? undefined : parseGroupName(input.name),
    description:
      input.description === undefined ? undefined : parseGroupDescription(input.description),
    userRegexp: input.user_regexp === undefined ? undefined : userRegexp,
    isActive: input.is_active,
    iconUrl: input.icon_url === undefined ? undefined : parseGroupIcon(input.icon_url),
  }
}

/** Selects the requested groups, and the one that has the new name already. */
function selectGroups(refs: GroupRefs, newName: string | undefined) {
  const hasName = newName === undefined ? sql`0` : sql`${groups.nameFold} = ${fold(newName)}`
  return db
    .select({
      ...pick(groups, 'id', 'name', 'description', 'userRegexp', 'isActive', 'iconUrl', 'revision'),
      givesRole: sql<number>`${givesRoleCondition()}`.as('gives_role'),
    })
    .from(groups)
    .where(sql`${groupRefsCondition(refs)} OR ${hasName}`)
}

/** Whether a group is a system group, or its members inherit the membership of one. */
function givesRoleCondition(): SQL {
  return sql`EXISTS (
    WITH RECURSIVE upwards(id) AS (
      SELECT ${groups.id}
      UNION
      SELECT ${groupGrants.grantingGroupId}
      FROM upwards JOIN group_grants
        ON ${groupGrants.memberGroupId} = upwards.id AND ${groupGrants.kind} = 'membership')
    SELECT 1 FROM upwards JOIN access_groups u ON ${u.id} = upwards.id WHERE ${u.role} IS NOT NULL)`
}

function assertNameAvailable(
  name: string | undefined,
  rows: readonly GroupRow[],
  candidates: readonly GroupRow[],
): void {
  if (name === undefined) {
    return
  }
  if (rows.length > 1) {
    throw fault(groupNameForSeveral)
  }
  if (candidates.some((row) => fold(row.name) === fold(name) && row.id !== rows[0]?.id)) {
    throw fault(groupNameTaken, { name })
  }
}

function compareStates(before: GroupState, update: GroupUpdate): Changes {
  const after = { ...before, ...omitUndefined(update) }
  return diffFields(presentGroupState(before), presentGroupState(after))
}

/** Writes the groups that change. */
function updateGroupsStatements(
  author: Author,
  update: GroupUpdate,
  decisions: readonly GroupDecision[],
): Statement[] {
  const values = omitUndefined(update)
  return updateAudited(
    author,
    'Group',
    decisions.map(({ row: { id, revision }, changes }) => ({ id, revision, changes })),
    { ...values, ...(values.name === undefined ? {} : { nameFold: fold(values.name) }) },
  )
}

/**
 * Adds activated groups to the bugs of the products where they are mandatory; deactivated ones stay on their
 * bugs. The new revision of these products makes concurrent filing of bugs retry.
 */
function activityStatements(decisions: readonly GroupDecision[], author: Author): Statement[] {
  const toggled = decisions.filter(({ changes }) => changes.is_active !== undefined)
  if (toggled.length === 0) {
    return []
  }
  const activated = toggled.filter(({ changes }) => changes.is_active?.added === '1')
  return [
    sql`UPDATE products SET ${columnName(products.revision)} = ${products.revision} + 1 WHERE ${products.id} IN (
      SELECT ${groupControls.productId} FROM group_controls WHERE ${groupControls.groupId} IN ${jsonList(idsOf(toggled))})`,
    ...(activated.length > 0
      ? addGroupsStatements(selectLackingMandatory(idsOf(activated)), author)
      : []),
  ]
}

function selectBugsToAdd(refs: GroupRefs): SQL {
  return selectLackingMandatory(sql`(SELECT ${groups.id} FROM access_groups
    WHERE ${groups.isActive} = 0 AND ${groupRefsCondition(refs)})`)
}

function idsOf(decisions: readonly GroupDecision[]): number[] {
  return decisions.map(({ row }) => row.id)
}
