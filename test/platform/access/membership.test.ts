import { sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import type { Statement } from '../../../src/platform/db/commit.ts'
import { jsonList } from '../../../src/platform/db/sql.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { explainQueryPlan } from '../../support/database/explain-query-plan.ts'
import { runStatements } from '../../support/database/statements.ts'

function execute(...statements: Statement[]): Promise<Record<string, unknown>[][]> {
  return runStatements(statements)
}

function addMember(somebody: TestPerson, its: TestGroup, source = 'direct'): Statement {
  return sql`INSERT INTO group_members (user_id, group_id, source)
    VALUES (${somebody.id}, ${its.id}, ${source})`
}

function removeMember(somebody: TestPerson, its: TestGroup, source = 'direct'): Statement {
  return sql`DELETE FROM group_members
    WHERE user_id = ${somebody.id} AND group_id = ${its.id} AND source = ${source}`
}

/** Members of `members` are members of `into` too. */
function insertGrant(into: TestGroup, members: TestGroup, kind = 'membership'): Statement {
  return sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
    VALUES (${members.id}, ${into.id}, ${kind})`
}

/** Of the named groups, those that each person belongs to. */
async function loadMemberships(
  people: Record<string, TestPerson>,
  groups: Record<string, TestGroup>,
): Promise<Record<string, string>> {
  const ids = Object.values(groups).map(({ id }) => id)
  const [rows = []] = await execute(
    sql`SELECT user_id, group_id FROM memberships WHERE group_id IN ${jsonList(ids)}`,
  )
  return Object.fromEntries(
    Object.entries(people).map(([name, { id }]) => {
      const its = rows.filter((row) => row.user_id === id).map((row) => row.group_id)
      const names = Object.entries(groups).filter(([, each]) => its.includes(each.id))
      return [name, names.map(([each]) => each).join(' ')]
    }),
  )
}

describe('effective membership', () => {
  test('follows from direct membership and from the pattern of the login', async () => {
    const people = { ann: await insertPerson(), bob: await insertPerson() }
    const groups = { a: await insertGroup(), b: await insertGroup() }
    await execute(
      addMember(people.ann, groups.a),
      addMember(people.bob, groups.b, 'regexp'),
      ...recomputeMembershipsStatements([people.ann.id, people.bob.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a', bob: 'b' })
  })

  test('is inherited over any number of steps in one direction', async () => {
    const people = { ann: await insertPerson(), bob: await insertPerson() }
    const groups = {
      a: await insertGroup(),
      b: await insertGroup(),
      c: await insertGroup(),
      d: await insertGroup(),
    }
    await execute(
      insertGrant(groups.b, groups.a),
      insertGrant(groups.c, groups.b),
      insertGrant(groups.d, groups.c),
      addMember(people.ann, groups.a),
      addMember(people.bob, groups.c),
      ...recomputeMembershipsStatements('everybody'),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a b c d', bob: 'c d' })
  })

  test('does not follow from grants to bless or to see', async () => {
    const people = { ann: await insertPerson() }
    const groups = { a: await insertGroup(), b: await insertGroup(), c: await insertGroup() }
    await execute(
      insertGrant(groups.b, groups.a, 'bless'),
      insertGrant(groups.c, groups.a, 'visible'),
      addMember(people.ann, groups.a),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a' })
  })

  test('ends with the last reason for it', async () => {
    const people = { ann: await insertPerson() }
    const groups = { a: await insertGroup(), b: await insertGroup() }
    await execute(
      insertGrant(groups.b, groups.a),
      addMember(people.ann, groups.a),
      addMember(people.ann, groups.a, 'regexp'),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    await execute(
      removeMember(people.ann, groups.a),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a b' })
    await execute(
      removeMember(people.ann, groups.a, 'regexp'),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: '' })
  })
})

describe('a cycle of grants', () => {
  test('ends, and its members belong to all of its groups', async () => {
    const people = {
      ann: await insertPerson(),
      bob: await insertPerson(),
      eve: await insertPerson(),
    }
    const groups = {
      a: await insertGroup(),
      b: await insertGroup(),
      c: await insertGroup(),
      d: await insertGroup(),
    }
    await execute(
      insertGrant(groups.b, groups.a),
      insertGrant(groups.c, groups.b),
      insertGrant(groups.a, groups.c),
      insertGrant(groups.d, groups.c),
      addMember(people.ann, groups.a),
      addMember(people.bob, groups.c),
      addMember(people.eve, groups.d),
      ...recomputeMembershipsStatements('everybody'),
    )
    expect(await loadMemberships(people, groups)).toEqual({
      ann: 'a b c d',
      bob: 'a b c d',
      eve: 'd',
    })
  })

  test('of one group with itself ends', async () => {
    const people = { ann: await insertPerson() }
    const groups = { a: await insertGroup() }
    await execute(
      insertGrant(groups.a, groups.a),
      addMember(people.ann, groups.a),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a' })
  })
})

describe('recomputeMembershipsStatements', () => {
  test('leaves other people unchanged', async () => {
    const people = { ann: await insertPerson(), bob: await insertPerson() }
    const groups = { a: await insertGroup() }
    await execute(
      addMember(people.ann, groups.a),
      addMember(people.bob, groups.a),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a', bob: '' })
    await execute(
      removeMember(people.ann, groups.a),
      ...recomputeMembershipsStatements([people.bob.id]),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a', bob: 'a' })
  })

  test('applies a new grant and a removed one for everybody', async () => {
    const people = { ann: await insertPerson() }
    const groups = { a: await insertGroup(), b: await insertGroup() }
    await execute(
      addMember(people.ann, groups.a),
      ...recomputeMembershipsStatements([people.ann.id]),
    )
    await execute(insertGrant(groups.b, groups.a), ...recomputeMembershipsStatements('everybody'))
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a b' })
    await execute(
      sql`DELETE FROM group_grants WHERE granting_group_id = ${groups.b.id}`,
      ...recomputeMembershipsStatements('everybody'),
    )
    expect(await loadMemberships(people, groups)).toEqual({ ann: 'a' })
  })

  test('changes nothing for an empty list', async () => {
    const people = { ann: await insertPerson() }
    const groups = { a: await insertGroup() }
    await execute(addMember(people.ann, groups.a), ...recomputeMembershipsStatements([]))
    expect(await loadMemberships(people, groups)).toEqual({ ann: '' })
  })
})

test('a change for one person reads no membership of others', async () => {
  const [write = sql``] = recomputeMembershipsStatements([1])
  const plan = await explainQueryPlan(sql`${write}`)
  expect(plan.filter((step) => step.includes('memberships'))).not.toEqual([])
  expect(plan.filter((step) => step.startsWith('SCAN memberships'))).toEqual([])
})
