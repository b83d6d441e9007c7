import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { hasRole, type Person } from '../access/caller.ts'
import { recomputeMembershipsStatements } from '../access/membership.ts'
import { selectBlessableGroups } from '../access/people.ts'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { jsonList, jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, few, names } from '../http/shapes.ts'
import { fold } from '../lib/text.ts'
import { GRANT_FIELDS, GRANTS, type GrantField, grantsOf } from './grants.ts'
import { type AskedGroups, askedGroups, idIn, inOrder, isAsked } from './requested-groups.ts'

export const updateGrantsInput = z.object({
  group: z.string(),
  members_from: editSet(),
  bless_from: editSet(),
  visible_to: editSet(),
})

export const updateGrantsOutput = z.strictObject({
  groups: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateGrantsInput>

type Group = { readonly id: number; readonly name: string; readonly role: string | null }

/** What a field is to hold, and how that differs from what it holds. */
export type GrantEdit = { readonly added: readonly Group[]; readonly removed: readonly Group[] }

type Edits = readonly (GrantEdit & { readonly field: GrantField })[]

/**
 * PUT /group/{group}/grants: whose members belong to the group, may hand out its membership, or see who
 * belongs to it. `set` names all of them, otherwise `remove` and then `add` change what there is;
 * administrators keep their grants. Memberships follow in the same commit, and loops of inclusion end.
 * Administration API "Groups". Faults 410; 304 for who may not hand out membership of the group, and for
 * system groups everybody but administrators; 51 for an unknown group, 52, 53; 32000 for removing
 * administrators.
 */
export async function updateGrants(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'creategroups', 'change the grants of groups')
  const asked = askedGroups({ id_or_name: input.group })
  const named = groupsNamedIn(input)
  return retryOnConflict(ctx, async (ctx) => {
    const found = await readBatch(ctx, {
      group: groupAsked(asked, caller),
      named: db
        .select({ id: groups.id, name: groups.name, role: groups.role })
        .from(groups)
        .where(sql`${isAsked(named)} OR access_groups.role = 'admin'`),
      grants: grantsOf(asked),
    })
    const [group] = found.group
    if (group === undefined) {
      throw fault('groupUnknown', { group: input.group.trim() })
    }
    refuseUnlessBlessed(caller, group)
    const edits = GRANT_FIELDS.map((field) => ({
      field,
      ...decide(
        input[field],
        found.grants.filter(({ kind }) => kind === GRANTS[field]),
        found.named,
      ),
    }))
    const changes = changesOf(edits)
    if (Object.keys(changes).length > 0) {
      await commit(ctx, {
        grants: written(group, edits),
        audit: auditStatement({
          by: caller.id,
          at: ctx.now,
          objectClass: 'Group',
          objectId: group.id,
          action: 'update',
          changes,
        }),
      })
    }
    return { groups: [{ id: group.id, changes }] }
  })
}

/**
 * What an edit comes to, given the groups that the field holds and those that are known. Fault 51 for a
 * group that is not known, 32000 for removing administrators.
 */
export function decide(
  edit: z.output<ReturnType<typeof editSet>>,
  current: readonly Group[],
  known: readonly Group[],
): GrantEdit {
  const [add, remove, set] = [edit?.add, edit?.remove, edit?.set].map((list) =>
    list?.map((text) => groupNamed(text, known)),
  )
  const had = new Map(current.map((group) => [group.id, group]))
  const wanted = new Map((set ?? current).map((group) => [group.id, group]))
  if (set === undefined) {
    for (const { id } of remove ?? []) {
      wanted.delete(id)
    }
    for (const group of add ?? []) {
      wanted.set(group.id, group)
    }
  }
  const removed = current.filter(({ id }) => !wanted.has(id))
  const administrators = removed.find(({ role }) => role === 'admin')
  if (administrators !== undefined && set === undefined) {
    throw fault('groupProtected', { group: administrators.name })
  }
  return {
    added: [...wanted.values()].filter(({ id }) => !had.has(id)),
    removed: removed.filter(({ role }) => role !== 'admin'),
  }
}

function editSet() {
  return z.object({ add: few(names()), remove: few(names()), set: few(names()) }).nullish()
}

/** Everything that the edits name, where digits are an ID. */
function groupsNamedIn(input: Input): AskedGroups {
  const texts = GRANT_FIELDS.flatMap((field) => {
    const { add = [], remove = [], set = [] } = input[field] ?? {}
    return [...add, ...remove, ...set].map((text) => text.trim())
  })
  const isId = (text: string) => /^\d+$/.test(text)
  return askedGroups({
    ids: texts.filter(isId).map(idIn),
    names: texts.filter((text) => !isId(text)),
  })
}

function groupAsked(asked: AskedGroups, caller: Person) {
  return db
    .select({
      id: groups.id,
      role: groups.role,
      revision: groups.revision,
      isBlessable: sql<number>`access_groups.id IN ${selectBlessableGroups(caller)}`.as(
        'is_blessable',
      ),
    })
    .from(groups)
    .where(isAsked(asked))
}

function refuseUnlessBlessed(
  caller: Person,
  group: { role: string | null; isBlessable: number },
): void {
  if (hasRole(caller, 'admin')) {
    return
  }
  if (group.role !== null) {
    throw fault('notAuthorized', { action: 'change the grants of system groups' })
  }
  if (group.isBlessable === 0) {
    throw fault('notAuthorized', { action: 'hand out the membership of this group' })
  }
}

function groupNamed(text: string, known: readonly Group[]): Group {
  const trimmed = text.trim()
  const [group] = inOrder(askedGroups({ id_or_name: trimmed }), known)
  if (group === undefined) {
    throw fault('groupUnknown', { group: trimmed })
  }
  return group
}

function changesOf(edits: Edits): Changes {
  const listed = (list: readonly Group[]) =>
    list
      .map(({ name }) => name)
      .toSorted((a, b) => (fold(a) < fold(b) ? -1 : 1))
      .join(', ')
  return Object.fromEntries(
    edits
      .filter(({ added, removed }) => added.length + removed.length > 0)
      .map(({ field, added, removed }) => [
        field,
        { removed: listed(removed), added: listed(added) },
      ]),
  )
}

function written(group: { id: number; revision: number }, edits: Edits): Statement[] {
  const rows = (which: 'added' | 'removed') =>
    edits.flatMap((edit) => edit[which].map(({ id }) => ({ id, kind: GRANTS[edit.field] })))
  const moved = edits
    .filter(({ field }) => field === 'members_from')
    .flatMap(({ added, removed }) => [...added, ...removed].map(({ id }) => id))
  return [
    sql`UPDATE access_groups SET revision = revision + 1
      WHERE id = ${group.id} AND revision = ${group.revision}`,
    abortUnlessChanged(),
    sql`DELETE FROM group_grants WHERE granting_group_id = ${group.id}
      AND (member_group_id, kind) IN (${pairs(rows('removed'))})`,
    sql`INSERT OR IGNORE INTO group_grants (member_group_id, granting_group_id, kind)
      SELECT r.value ->> 'id', ${group.id}, r.value ->> 'kind' FROM ${jsonRows(rows('added'))}`,
    // a membership that comes or goes leads through a grant that comes or goes
    ...(moved.length === 0
      ? []
      : recomputeMembershipsStatements(
          sql`(SELECT user_id FROM memberships WHERE group_id IN ${jsonList(moved)})`,
        )),
  ]
}

function pairs(rows: readonly { id: number; kind: string }[]): SQL {
  return sql`SELECT r.value ->> 'id', r.value ->> 'kind' FROM ${jsonRows(rows)}`
}
