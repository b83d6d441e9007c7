import { type SQL, sql } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { ANONYMOUS, type Caller, type Person, SYSTEM } from '../../../src/platform/access/caller.ts'
import {
  selectBlessableGroups,
  visiblePersonCondition,
} from '../../../src/platform/access/people.ts'
import { buildCaller } from '../../support/builders/callers.ts'
import { insertGroup } from '../../support/builders/groups.ts'
import { insertPerson } from '../../support/builders/people.ts'
import type { TestGroup, TestPerson } from '../../support/builders/types.ts'
import { runStatements } from '../../support/database/statements.ts'

async function rows(statement: SQL): Promise<Record<string, unknown>[]> {
  const [found = []] = await runStatements([statement])
  return found
}

function memberOf(who: TestPerson, ...groups: TestGroup[]): Person {
  return { ...buildCaller(who), groups: new Set(groups.map(({ id }) => id)) } as Person
}

const grant = (to: TestGroup, from: TestGroup, kind: string) =>
  rows(sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
    VALUES (${to.id}, ${from.id}, ${kind})`)

const ann = await insertPerson()
const bob = await insertPerson()
const team = await insertGroup([ann])
const guarded = await insertGroup([bob])
const foreign = await insertGroup()

describe('the right to bless a group', () => {
  const loadBlessable = async (caller: Person) => {
    const found = await rows(sql`SELECT id FROM access_groups
      WHERE id IN ${selectBlessableGroups(caller)} ORDER BY id`)
    return found.map(({ id }) => id)
  }

  test('does not follow from membership', async () => {
    expect(await loadBlessable(memberOf(ann, team))).toEqual([])
  })

  test('follows from a grant to the person or to a group of theirs', async () => {
    await rows(
      sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${bob.id}, ${foreign.id})`,
    )
    await grant(team, guarded, 'bless')
    expect(await loadBlessable(memberOf(bob))).toEqual([foreign.id])
    expect(await loadBlessable(memberOf(ann, team))).toEqual([guarded.id])
    expect(await loadBlessable(memberOf(ann))).toEqual([])
  })
})

describe('the visibility of people', () => {
  const canSee = async (caller: Caller, byGroups: boolean, who: TestPerson) => {
    const [row] = await rows(
      sql`SELECT ${visiblePersonCondition(caller, byGroups, sql`${who.id}`)} AS seen`,
    )
    return row?.seen === 1
  }

  test('includes everybody unless it is restricted by groups', async () => {
    expect(await canSee(ANONYMOUS, false, bob)).toBe(true)
    expect(await canSee(memberOf(ann), false, bob)).toBe(true)
  })

  test('by groups includes oneself and the groups that one may see', async () => {
    await grant(team, guarded, 'visible')
    expect(await canSee(memberOf(bob), true, bob)).toBe(true)
    expect(await canSee(memberOf(ann), true, bob)).toBe(false)
    expect(await canSee(memberOf(ann, team), true, bob)).toBe(true)
    expect(await canSee(ANONYMOUS, true, bob)).toBe(false)
    expect(await canSee(SYSTEM, true, bob)).toBe(true)
  })
})
