import { type SQL, sql } from 'drizzle-orm'
import { recomputeMembershipsStatements } from '../../../src/platform/access/membership.ts'
import { groupMembers, groups } from '../../../src/platform/db/schema/groups.ts'
import { db } from '../../../src/platform/db/sql.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { execute } from '../database/execute.ts'
import { insertPerson } from './people.ts'
import type { TestGroup, TestPerson } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

/** Inserts a group with these direct members. */
export async function insertGroup(members: TestPerson[] = []): Promise<TestGroup> {
  const name = uniqueName('group')
  const [row] = await execute(
    db
      .insert(groups)
      .values({ name, nameFold: fold(name), description: `All of ${name}`, createdAt: NOW })
      .returning({ id: groups.id }),
  )
  const id = Number(row?.id)
  if (members.length > 0) {
    await execute(
      db
        .insert(groupMembers)
        .values(
          members.map((member) => ({ userId: member.id, groupId: id, source: 'direct' as const })),
        ),
      ...recomputeMembershipsStatements(members.map((member) => member.id)),
    )
  }
  return { id, name }
}

/** Inserts a person who may bless these groups and has no other right. */
export async function insertBlesser(...groups: TestGroup[]): Promise<TestPerson> {
  const one = await insertPerson()
  await execute(
    ...groups.map(
      ({ id }) => sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${one.id}, ${id})`,
    ),
  )
  return one
}

/** Sets the pattern of a group; memberships that follow from it are not recomputed. */
export async function setGroupPattern({ id }: TestGroup, pattern: string): Promise<void> {
  await execute(sql`UPDATE access_groups SET user_regexp = ${pattern} WHERE id = ${id}`)
}

/** The statement that grants the members of one group something of another. */
export function grantStatement(
  member: TestGroup,
  kind: 'membership' | 'bless' | 'visible',
  from: TestGroup,
): SQL {
  return sql`INSERT INTO group_grants (member_group_id, granting_group_id, kind)
    VALUES (${member.id}, ${from.id}, ${kind})`
}
