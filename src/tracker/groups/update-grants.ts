import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../../platform/access/caller.ts'
import { groupUnknown, notAuthorized } from '../../platform/access/faults.ts'
import { recomputeMembershipsStatements } from '../../platform/access/membership.ts'
import {
  type DerivedMembers,
  membersAtOnce,
  membersInSteps,
  PAIRS_OF_STEP,
} from '../../platform/access/membership-steps.ts'
import { selectBlessableGroups } from '../../platform/access/people.ts'
import type { Changes } from '../../platform/db/audit.ts'
import { commit, type Statement } from '../../platform/db/commit.ts'
import { readBatch } from '../../platform/db/read-batch.ts'
import { groupGrants, groups, memberships } from '../../platform/db/schema/groups.ts'
import { columnNames, countUpTo, db, jsonList, jsonRows, sql } from '../../platform/db/sql.ts'
import { updateAudited } from '../../platform/db/write-audited.ts'
import { fault } from '../../platform/faults/fault.ts'
import {
  editSetOf,
  itemsOf,
  mapItems,
  normalizeEdit,
} from '../../platform/http/operations/edit-set.ts'
import { inTurnOfLargeEdits } from '../../platform/http/operations/large-edits.ts'
import { operation, role } from '../../platform/http/operations/operation.ts'
import { requireId } from '../../platform/http/operations/require-id.ts'
import {
  changedObjects,
  limitItems,
  names,
  strictInput,
} from '../../platform/http/operations/shapes.ts'
import { isDigits, orderAsNamed } from '../../platform/lib/id-or-name.ts'
import { pick } from '../../platform/lib/pick.ts'
import { fold } from '../../platform/lib/text.ts'
import { groupProtected } from './faults.ts'
import { GRANT_FIELDS, GRANT_KINDS, type GrantField, selectGrants } from './grants.ts'
import { type GroupRefs, groupRefsCondition, parseGroupRefs } from './group-refs.ts'

const updateGrantsInput = strictInput({
  group: z.string(),
  members_from: grantEditInput(),
  bless_from: grantEditInput(),
  visible_to: grantEditInput(),
})

type Input = z.output<typeof updateGrantsInput>

type Group = { readonly id: number; readonly name: string; readonly role: string | null }

/** The groups that an update adds to a field of grants and removes from it. */
type GrantEdit = { readonly added: readonly Group[]; readonly removed: readonly Group[] }

type GrantEdits = readonly (GrantEdit & { readonly field: GrantField })[]

/**
 * Changes whose members belong to the group, may bless it, or see its members. `set` replaces the list but
 * keeps administrators; otherwise `add` wins over `remove`. The same commit updates memberships.
 */
export const updateGrants = operation(
  {
    method: 'PUT',
    path: '/group/:group/grants',
    summary: 'Include groups in a group, or let them hand it out or see it',
    reference: 'groups.md#change-grants',
    input: updateGrantsInput,
    output: changedObjects('groups'),
    faults: [groupProtected, groupUnknown],
    requires: role('creategroups', 'change the grants of groups'),
    scope: 'write',
  },
  inTurnOfLargeEdits(async (ctx, input: Input) => {
    const { caller } = ctx
    const refs = parseGroupRefs({ id_or_name: input.group })
    const editRefs = collectGroupRefs(input)
    const loaded = await readBatch(ctx, {
      group: selectGroup(refs, caller),
      known: db
        .select({ id: groups.id, name: groups.name, role: groups.role })
        .from(groups)
        .where(sql`${groupRefsCondition(editRefs)} OR ${groups.role} = 'admin'`),
      grants: selectGrants(refs),
      members: selectMemberCount(refs, editRefs),
    })
    const [group] = loaded.group
    if (group === undefined) {
      throw fault(groupUnknown, { group: input.group.trim() })
    }
    assertMayChangeGrants(caller, group)
    const edits = GRANT_FIELDS.map((field) => ({
      field,
      ...decideGrantEdit(
        input[field],
        loaded.grants.filter(({ kind }) => kind === GRANT_KINDS[field]),
        loaded.known,
      ),
    }))
    const changes = presentChanges(edits)
    if (Object.keys(changes).length > 0) {
      const isLarge = (loaded.members[0]?.count ?? 0) > PAIRS_OF_STEP
      const members = deriveMembersOf(edits, isLarge)
      await commit(ctx, {
        group: updateAudited(ctx, 'Group', [{ ...group, changes }]),
        grants: grantStatements(group, edits),
        members: members.statements,
      })
      await members.finish(ctx)
    }
    return { groups: [{ id: group.id, changes }] }
  }),
)

/**
 * Decides an edit of a field that has the groups `current`; it may name the groups `known`, and not remove
 * administrators.
 */
export function decideGrantEdit(
  edit: z.output<ReturnType<typeof grantEditInput>>,
  current: readonly Group[],
  known: readonly Group[],
): GrantEdit {
  const byId = new Map(known.map((group) => [group.id, group]))
  const currentIds = current.map(({ id }) => id)
  const editSet = mapItems(edit ?? {}, (text) => requireGroup(text, known).id)
  const { add, remove } = normalizeEdit(editSet, currentIds, 'add') ?? { add: [], remove: [] }
  const removed = current.filter(({ id }) => remove.includes(id))
  const administrators = removed.find(({ role }) => role === 'admin')
  if (administrators !== undefined && editSet.set === undefined) {
    throw fault(groupProtected, { group: administrators.name })
  }
  return {
    added: add.flatMap((id) => (currentIds.includes(id) ? [] : (byId.get(id) ?? []))),
    removed: removed.filter(({ role }) => role !== 'admin'),
  }
}

function grantEditInput() {
  // a misspelled list would leave people their rights
  return editSetOf(limitItems(names())).strict().nullish()
}

/** The groups that the edits name, where digits are an ID. */
function collectGroupRefs(input: Input): GroupRefs {
  const texts = GRANT_FIELDS.flatMap((field) => {
    return itemsOf(input[field] ?? {}).map((text) => text.trim())
  })
  return parseGroupRefs({
    ids: texts.filter(isDigits).map((text) => requireId('id_or_name', text)),
    names: texts.filter((text) => !isDigits(text)),
  })
}

function selectGroup(refs: GroupRefs, caller: Person) {
  return db
    .select({
      ...pick(groups, 'id', 'role', 'revision'),
      isBlessable: sql<number>`${groups.id} IN ${selectBlessableGroups(caller)}`.as('is_blessable'),
    })
    .from(groups)
    .where(groupRefsCondition(refs))
}

function assertMayChangeGrants(
  caller: Person,
  group: { role: string | null; isBlessable: number },
): void {
  if (hasRole(caller, 'admin')) {
    return
  }
  if (group.role !== null) {
    throw fault(notAuthorized, { action: 'change the grants of system groups' })
  }
  if (group.isBlessable === 0) {
    throw fault(notAuthorized, { action: 'hand out the membership of this group' })
  }
}

function requireGroup(text: string, known: readonly Group[]): Group {
  const trimmed = text.trim()
  const [group] = orderAsNamed(parseGroupRefs({ id_or_name: trimmed }), known)
  if (group === undefined) {
    throw fault(groupUnknown, { group: trimmed })
  }
  return group
}

function presentChanges(edits: GrantEdits): Changes {
  const joinNames = (list: readonly Group[]) =>
    list
      .map(({ name }) => name)
      .toSorted((a, b) => (fold(a) < fold(b) ? -1 : 1))
      .join(', ')
  return Object.fromEntries(
    edits
      .filter(({ added, removed }) => added.length + removed.length > 0)
      .map(({ field, added, removed }) => [
        field,
        { removed: joinNames(removed), added: joinNames(added) },
      ]),
  )
}

function grantStatements(group: { id: number }, edits: GrantEdits): Statement[] {
  const rows = (which: 'added' | 'removed') =>
    edits.flatMap((edit) => edit[which].map(({ id }) => ({ id, kind: GRANT_KINDS[edit.field] })))
  return [
    sql`DELETE FROM group_grants WHERE ${groupGrants.grantingGroupId} = ${group.id}
      AND (${groupGrants.memberGroupId}, ${groupGrants.kind}) IN (${selectPairs(rows('removed'))})`,
    sql`INSERT OR IGNORE INTO group_grants (${columnNames(groupGrants.memberGroupId, groupGrants.grantingGroupId, groupGrants.kind)})
      SELECT r.value ->> 'id', ${group.id}, r.value ->> 'kind' FROM ${jsonRows(rows('added'))}`,
  ]
}

/** Only members of the groups in these grants can gain or lose a membership. */
function deriveMembersOf(edits: GrantEdits, isLarge: boolean): DerivedMembers {
  const groupIds = edits
    .filter(({ field }) => field === 'members_from')
    .flatMap(({ added, removed }) => [...added, ...removed].map(({ id }) => id))
  if (groupIds.length === 0) {
    return membersAtOnce()
  }
  const people = sql`(SELECT ${memberships.userId} FROM memberships WHERE ${memberships.groupId} IN ${jsonList(groupIds)})`
  return isLarge ? membersInSteps(groupIds) : membersAtOnce(recomputeMembershipsStatements(people))
}

/** How many members the groups have that an edit may add to those of a group or remove from them, up to a bound. */
function selectMemberCount(granting: GroupRefs, edited: GroupRefs) {
  const present = sql`SELECT ${groupGrants.memberGroupId} FROM group_grants
    WHERE ${groupGrants.grantingGroupId} IN (SELECT ${groups.id} FROM access_groups WHERE ${groupRefsCondition(granting)})`
  const members = sql`SELECT 1 FROM memberships
    WHERE ${memberships.groupId} IN (SELECT ${groups.id} FROM access_groups WHERE ${groupRefsCondition(edited)} UNION ${present})`
  const count = countUpTo(members, PAIRS_OF_STEP)
  return db.select({ count: sql<number>`${count}`.as('members') }).from(sql`(SELECT 1)`)
}

function selectPairs(rows: readonly { id: number; kind: string }[]): SQL {
  return sql`SELECT r.value ->> 'id', r.value ->> 'kind' FROM ${jsonRows(rows)}`
}
