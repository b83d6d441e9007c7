import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import {
  type Actor,
  addGroupsStatements,
  assertPairLimit,
  countPairs,
  selectLackingMandatory,
} from '../access/bug-groups.ts'
import { hasRole } from '../access/caller.ts'
import {
  loadLogins,
  rederiveGroupsStatements,
  selectFirstLogins,
} from '../access/regexp-membership.ts'
import { assertRole } from '../access/rights.ts'
import type { Ctx } from '../context.ts'
import { auditStatement, type Changes } from '../db/audit.ts'
import { db } from '../db/client.ts'
import { abortUnlessChanged, commit, retryOnConflict, type Statement } from '../db/commit.ts'
import { readBatch } from '../db/read-batch.ts'
import { groups } from '../db/schema/groups.ts'
import { jsonList, jsonRows, sql } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { changesOutput, clearableText, flag, ids, names, prose, text } from '../http/shapes.ts'
import { fold } from '../lib/text.ts'
import {
  type AskedGroups,
  askedGroups,
  inOrder,
  isAsked,
  refuseUnknownIds,
  refuseUnknownNames,
} from './requested-groups.ts'
import { groupDescription, groupIcon, groupName, groupPattern } from './values.ts'

export const updateGroupInput = z.object({
  id_or_name: z.string(),
  ids: ids(),
  names: names(),
  name: text(),
  description: prose(text()),
  user_regexp: clearableText(),
  is_active: flag(),
  icon_url: clearableText(),
})

export const updateGroupOutput = z.strictObject({
  groups: z.array(z.strictObject({ id: z.int(), changes: changesOutput })),
})

type Input = z.output<typeof updateGroupInput>

/** Each group brings an entry of the audit log along. */
const MOST_GROUPS = 500

/** What can be changed of a group. */
type GroupState = {
  name: string
  description: string
  userRegexp: string
  isActive: boolean
  iconUrl: string | null
}

type Wanted = { [Field in keyof GroupState]?: GroupState[Field] | undefined }

type GroupRow = GroupState & { id: number; revision: number; givesRole: number }

type Decided = { row: GroupRow; changes: Changes }

/**
 * PUT /group/{id_or_name}: changes the groups of the path, of `ids` and of `names`, all or none. A new
 * pattern brings its members up to date, and activating a group puts it on the bugs of the products in
 * which it is mandatory. Contract "Groups". Faults 410; 304, also for a new pattern of a group whose
 * members get what a system group gives, unless an administrator asks; 51 for an unknown group, 52, 53,
 * 800, 801 for a name that is taken or for several groups, 802, 803; 32000 when that is too many bugs.
 */
export async function updateGroups(ctx: Ctx, input: Input) {
  const caller = assertRole(ctx.caller, 'creategroups', 'change groups')
  const asked = askedGroups(input)
  if (asked.ids.length + asked.names.length > MOST_GROUPS) {
    const reason = `may name at most ${MOST_GROUPS} groups at once`
    throw fault('parameterInvalid', { field: 'ids', reason })
  }
  const { source, pattern } = await groupPattern(input.user_regexp)
  const wanted = wantedIn(input, source)
  return retryOnConflict(ctx, async (ctx) => {
    const found = await readBatch(ctx, {
      groups: groupsAsked(asked, wanted.name),
      lacking: wanted.isActive === true ? countPairs(lackingIfActivated(asked)) : undefined,
      ...(pattern === null ? { logins: undefined, moment: undefined } : selectFirstLogins()),
    })
    const rows = inOrder(asked, found.groups)
    refuseUnknownNames(asked, rows)
    refuseUnknownIds(asked, rows)
    refuseName(wanted.name, rows, found.groups)
    assertPairLimit(found.lacking)
    const decided = rows.map((row) => ({ row, changes: changesBetween(row, wanted) }))
    const rederived = decided.filter(({ changes }) => changes.user_regexp !== undefined)
    if (rederived.some(({ row }) => row.givesRole === 1) && !hasRole(caller, 'admin')) {
      throw fault('notAuthorized', { action: 'choose the members of system groups by a pattern' })
    }
    const { logins, moment } = found
    const all =
      logins && moment && rederived.length > 0 ? await loadLogins(ctx, { logins, moment }) : null
    await commit(ctx, {
      groups: written(wanted, decided),
      bugs: followActivity(decided, { by: caller.id, at: ctx.now }),
      members: rederived.length > 0 ? rederiveGroupsStatements(idsOf(rederived), pattern, all) : [],
      audit: recorded(ctx, caller.id, decided),
    })
    return { groups: decided.map(({ row, changes }) => ({ id: row.id, changes })) }
  })
}

/** Faults 53, 800 and 802. */
function wantedIn(input: Input, userRegexp: string): Wanted {
  return {
    name: input.name === undefined ? undefined : groupName(input.name),
    description: input.description === undefined ? undefined : groupDescription(input.description),
    userRegexp: input.user_regexp === undefined ? undefined : userRegexp,
    isActive: input.is_active,
    iconUrl: input.icon_url === undefined ? undefined : groupIcon(input.icon_url),
  }
}

/** The groups asked for, and the one that has the wanted name already. */
function groupsAsked(asked: AskedGroups, wantedName: string | undefined) {
  const hasName =
    wantedName === undefined ? sql`0` : sql`access_groups.name_fold = ${fold(wantedName)}`
  return db
    .select({
      id: groups.id,
      name: groups.name,
      description: groups.description,
      userRegexp: groups.userRegexp,
      isActive: groups.isActive,
      iconUrl: groups.iconUrl,
      revision: groups.revision,
      givesRole: sql<number>`${givesRole()}`.as('gives_role'),
    })
    .from(groups)
    .where(sql`${isAsked(asked)} OR ${hasName}`)
}

/** Whether a group is a system group, or its members are members of one. */
function givesRole(): SQL {
  return sql`EXISTS (
    WITH RECURSIVE upwards(id) AS (
      SELECT access_groups.id
      UNION
      SELECT group_grants.granting_group_id
      FROM upwards JOIN group_grants
        ON group_grants.member_group_id = upwards.id AND group_grants.kind = 'membership')
    SELECT 1 FROM upwards JOIN access_groups u ON u.id = upwards.id WHERE u.role IS NOT NULL)`
}

function refuseName(
  name: string | undefined,
  rows: readonly GroupRow[],
  found: readonly GroupRow[],
): void {
  if (name === undefined) {
    return
  }
  if (rows.length > 1) {
    throw fault('groupNameForSeveral')
  }
  if (found.some((row) => fold(row.name) === fold(name) && row.id !== rows[0]?.id)) {
    throw fault('groupNameTaken', { name })
  }
}

function changesBetween(before: GroupState, wanted: Wanted): Changes {
  const after = { ...before, ...withoutUndefined(wanted) }
  const [old, fresh] = [asTexts(before), asTexts(after)]
  return Object.fromEntries(
    Object.entries(fresh).flatMap(([field, added]) => {
      const removed = old[field] ?? ''
      return removed === added ? [] : [[field, { removed, added }]]
    }),
  )
}

function asTexts(state: GroupState): Record<string, string> {
  return {
    name: state.name,
    description: state.description,
    user_regexp: state.userRegexp,
    is_active: state.isActive ? '1' : '0',
    icon_url: state.iconUrl ?? '',
  }
}

function withoutUndefined(wanted: Wanted): Partial<GroupState> {
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined))
}

/** Only groups that really change are written; each as it was when the change was decided. */
function written(wanted: Wanted, decided: readonly Decided[]): Statement[] {
  const changed = decided.filter(({ changes }) => Object.keys(changes).length > 0)
  if (changed.length === 0) {
    return []
  }
  const values = withoutUndefined(wanted)
  const nameFold = values.name === undefined ? {} : { nameFold: fold(values.name) }
  const states = changed.map(({ row: { id, revision } }) => ({ id, revision }))
  return [
    db
      .update(groups)
      .set({ ...values, ...nameFold, revision: sql`revision + 1` })
      .where(sql`(id, revision) IN (SELECT r.value ->> 'id', r.value ->> 'revision'
        FROM ${jsonRows(states)})`),
    abortUnlessChanged(changed.length),
  ]
}

/**
 * A group that is active again comes upon the bugs of the products where it is mandatory; one that is no
 * longer active stays on its bugs. Whoever files a bug meanwhile has to decide again.
 */
function followActivity(decided: readonly Decided[], actor: Actor): Statement[] {
  const moved = decided.filter(({ changes }) => changes.is_active !== undefined)
  if (moved.length === 0) {
    return []
  }
  const activated = moved.filter(({ changes }) => changes.is_active?.added === '1')
  return [
    sql`UPDATE products SET revision = revision + 1 WHERE id IN (
      SELECT product_id FROM group_controls WHERE group_id IN ${jsonList(idsOf(moved))})`,
    ...(activated.length > 0
      ? addGroupsStatements(selectLackingMandatory(idsOf(activated)), actor)
      : []),
  ]
}

function lackingIfActivated(asked: AskedGroups): SQL {
  return selectLackingMandatory(sql`(SELECT access_groups.id FROM access_groups
    WHERE access_groups.is_active = 0 AND ${isAsked(asked)})`)
}

function recorded(ctx: Ctx, by: number, decided: readonly Decided[]): Statement[] {
  return decided.flatMap(({ row, changes }) =>
    Object.keys(changes).length === 0
      ? []
      : [
          auditStatement({
            by,
            at: ctx.now,
            objectClass: 'Group',
            objectId: row.id,
            action: 'update',
            changes,
          }),
        ],
  )
}

function idsOf(decided: readonly Decided[]): number[] {
  return decided.map(({ row }) => row.id)
}
