import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import {
  ANONYMOUS,
  type Caller,
  hasRole,
  isMember,
  SYSTEM,
  viewerRights,
  withFullRights,
} from '../../../src/platform/access/caller.ts'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import {
  type BugVisibility,
  bugVisibleToCondition,
  editableProductCondition,
  isBugVisibleTo,
  visibleAttachmentCondition,
  visibleBugCondition,
  visibleCommentCondition,
  visibleCommentCount,
} from '../../../src/platform/access/visibility.ts'
import { compile } from '../../../src/platform/db/compile.ts'
import { insertBug, restrictBug, updateBugRow } from '../../support/builders/bugs.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import { execute } from '../../support/database/execute.ts'

/** Whether somebody sees a bug; the condition must say so under each name of the table. */
async function canSee(caller: Caller, bugId: number): Promise<boolean> {
  const forms = [
    sql`SELECT 1 AS yes FROM bugs WHERE bugs.id = ${bugId} AND ${visibleBugCondition(caller)}`,
    sql`SELECT 1 AS yes FROM bugs other WHERE other.id = ${bugId} AND ${visibleBugCondition(caller, 'other')}`,
    ...(caller.kind === 'person'
      ? [
          sql`SELECT 1 AS yes FROM bugs, users WHERE bugs.id = ${bugId} AND users.id = ${caller.id}
            AND ${bugVisibleToCondition(sql`users.id`)}`,
        ]
      : []),
  ]
  const answers = await Promise.all(forms.map(async (form) => (await execute(form)).length === 1))
  expect(new Set(answers).size, 'all forms of the condition agree').toBe(1)
  return answers[0] === true
}

describe('a bug in no group', () => {
  test('is visible to everybody', async () => {
    const { id } = await insertBug()

    expect(await canSee(ANONYMOUS, id)).toBe(true)
    expect(await canSee(buildCaller(await insertPerson()), id)).toBe(true)
    expect(await canSee(SYSTEM, id)).toBe(true)
  })

  test('is visible to everybody, with any access settings', async () => {
    const { id, reporter } = await insertBug()
    await updateBugRow(id, { is_creator_accessible: 0, is_cc_accessible: 0 })

    expect(await canSee(ANONYMOUS, id)).toBe(true)
    expect(await canSee(buildCaller(reporter), id)).toBe(true)
  })
})

describe('a bug in groups', () => {
  test('is visible to members of all groups and hidden from others', async () => {
    const [both, one, none] = [await insertPerson(), await insertPerson(), await insertPerson()]
    const groups = [await insertGroup([both, one]), await insertGroup([both])]
    const { id } = await insertBug({ groups })

    expect(await canSee(buildCaller(both), id)).toBe(true)
    expect(await canSee(buildCaller(one), id)).toBe(false)
    expect(await canSee(buildCaller(none), id)).toBe(false)
    expect(await canSee(ANONYMOUS, id)).toBe(false)
    expect(await canSee(SYSTEM, id)).toBe(true)
  })

  test('is visible through inherited membership over any number of steps', async () => {
    const heir = await insertPerson()
    const inner = await insertGroup([heir])
    const middle = await insertGroup()
    const outer = await insertGroup()
    const grantStatement = (from: number, to: number) => sql`INSERT INTO group_grants
      (member_group_id, granting_group_id, kind) VALUES (${from}, ${to}, 'membership')`
    const { id } = await insertBug({ groups: [outer] })
    expect(await canSee(buildCaller(heir), id)).toBe(false)
    await execute(
      grantStatement(inner.id, middle.id),
      grantStatement(middle.id, outer.id),
      ...recomputeMembershipsStatements([heir.id]),
    )

    expect(await canSee(buildCaller(heir), id)).toBe(true)
  })

  test('stays hidden when the group becomes inactive', async () => {
    const secret = await insertGroup()
    const { id } = await insertBug({ groups: [secret] })
    await execute(sql`UPDATE access_groups SET is_active = 0 WHERE id = ${secret.id}`)

    expect(await canSee(buildCaller(await insertPerson()), id)).toBe(false)
  })

  test('is hidden from an administrator outside of them', async () => {
    const { id } = await insertBug({ groups: [await insertGroup()] })

    expect(
      await canSee(buildCaller(await insertPerson({ roles: ['admin', 'editbugs'] })), id),
    ).toBe(false)
  })

  test('is visible to its assignee and QA contact, with any access settings', async () => {
    const [assignee, qaContact] = [await insertPerson(), await insertPerson()]
    const { id } = await insertBug({ assignee, qaContact, groups: [await insertGroup()] })
    await updateBugRow(id, { is_creator_accessible: 0, is_cc_accessible: 0 })

    expect(await canSee(buildCaller(assignee), id)).toBe(true)
    expect(await canSee(buildCaller(qaContact), id)).toBe(true)
  })

  test.each([
    ['reporter', 1, 0, true],
    ['reporter', 0, 1, false],
    ['cc', 0, 1, true],
    ['cc', 1, 0, false],
  ])(
    'is visible to its %s with is_creator_accessible %i and is_cc_accessible %i: %s',
    async (role, creator, cc, expected) => {
      const someone = await insertPerson()
      const { id } = await insertBug({
        groups: [await insertGroup()],
        ...(role === 'cc' ? { cc: [someone] } : { reporter: someone }),
      })
      await updateBugRow(id, { is_creator_accessible: creator, is_cc_accessible: cc })

      expect(await canSee(buildCaller(someone), id)).toBe(expected)
    },
  )

  test('is not visible through a role on another bug', async () => {
    const someone = await insertPerson()
    await insertBug({ reporter: someone, assignee: someone, cc: [someone] })
    const { id } = await insertBug({ groups: [await insertGroup()] })

    expect(await canSee(buildCaller(someone), id)).toBe(false)
  })
})

test('a bug is no longer hidden by a group that it was removed from', async () => {
  const secret = await insertGroup()
  const { id } = await insertBug()
  await restrictBug(id, secret)
  expect(await canSee(ANONYMOUS, id)).toBe(false)
  await execute(sql`DELETE FROM bug_groups WHERE bug_id = ${id}`)

  expect(await canSee(ANONYMOUS, id)).toBe(true)
})

describe('isBugVisibleTo', () => {
  const bugInGroup: BugVisibility = {
    reporterId: 20,
    assignedToId: 21,
    qaContactId: 22,
    isCcAccessible: true,
    isCreatorAccessible: true,
    groupIds: [3],
    ccIds: [23],
  }

  test.each<[boolean, string, number, number[], Partial<BugVisibility>]>([
    [true, 'it is in no group', 14, [], { groupIds: [] }],
    [false, 'it is in a group', 14, [], {}],
    [true, 'it is in a group of theirs', 1, [3], {}],
    [false, 'it is in several groups, of which one is theirs', 1, [3], { groupIds: [3, 4] }],
    [true, 'they reported it', 20, [], {}],
    [false, 'they reported it, switched off', 20, [], { isCreatorAccessible: false }],
    [true, 'they are its assignee', 21, [], {}],
    [true, 'they are its QA contact', 22, [], {}],
    [true, 'they are on its CC list', 23, [], {}],
    [false, 'they are on its CC list, switched off', 23, [], { isCcAccessible: false }],
  ])('returns %s where %s', (expected, _, id, groups, more) => {
    const visible = isBugVisibleTo({ id, groups: new Set(groups) }, { ...bugInGroup, ...more })
    expect(visible).toBe(expected)
  })
})

describe('the conditions on bugs, comments and attachments', () => {
  const ann = { id: 7, login: 'ann@x.test', key: '' }

  test.each([[ANONYMOUS], [SYSTEM], [buildCaller(ann)], [buildCaller(ann, ['insider'])]])(
    'are the same for a caller as for the rights of that caller, case %#',
    (caller) => {
      for (const condition of [
        visibleBugCondition,
        visibleCommentCondition,
        visibleCommentCount,
        visibleAttachmentCondition,
      ]) {
        expect(compile(condition(viewerRights(caller)))).toEqual(compile(condition(caller)))
      }
    },
  )
})

test('work with full rights in the name of a person sees and edits what that person does not', async () => {
  const [who, group] = [await insertPerson(), await insertGroup()]
  const { id } = await insertBug()
  await restrictBug(id, group)
  await execute(sql`INSERT INTO group_controls (product_id, group_id, membercontrol, othercontrol, canedit)
    SELECT product_id, ${group.id}, 3, 3, 1 FROM bugs WHERE id = ${id}`)
  const own = buildCaller(who)
  const full = withFullRights(own, [group.id])
  const isTrue = async (condition: SQL) =>
    (
      await execute(sql`SELECT 1 AS yes FROM bugs JOIN products ON products.id = bugs.product_id
        WHERE bugs.id = ${id} AND ${condition}`)
    ).length === 1
  for (const [caller, expected] of [
    [own, false],
    [full, true],
  ] as const) {
    expect(await isTrue(visibleBugCondition(caller))).toBe(expected)
    expect(await isTrue(editableProductCondition(caller))).toBe(expected)
    expect(hasRole(caller, 'editbugs')).toBe(expected)
    expect(isMember(caller, group.id)).toBe(expected)
  }
  expect(full).toMatchObject({ id: who.id, login: who.login })
})
