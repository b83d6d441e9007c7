import { sql } from 'drizzle-orm'
import { get } from './client.ts'
import { write } from './people.ts'
import { person, type TestGroup, type TestPerson } from './world.ts'

/** Somebody who may hand out the membership of these groups, and has no other right. */
export async function blesser(...groups: TestGroup[]): Promise<TestPerson> {
  const one = await person()
  await write(
    ...groups.map(
      ({ id }) => sql`INSERT INTO group_blessers (user_id, group_id) VALUES (${one.id}, ${id})`,
    ),
  )
  return one
}

/** The IDs of who belongs to a group, as somebody who may know is told. */
export async function memberIds(who: TestPerson, groupId: number): Promise<number[]> {
  const { body } = await get(who, `/rest/group/${groupId}?membership=1`)
  return ascending(body.groups[0].membership.map(({ id }: { id: number }) => id))
}

export function ascending(numbers: readonly number[]): number[] {
  return numbers.toSorted((a, b) => a - b)
}

/** The row of a group, its revision, and what the audit log tells of it. */
export async function groupState(id: number) {
  const [rows = [], audit = []] = await write(
    sql`SELECT name, description, user_regexp, is_active, is_bug_group, icon_url, revision
      FROM access_groups WHERE id = ${id}`,
    sql`SELECT user_id, action, changes FROM audit_log
      WHERE object_class = 'Group' AND object_id = ${id} ORDER BY id`,
  )
  return {
    ...rows[0],
    audit: audit.map(({ user_id, action, changes }) => ({
      by: user_id,
      action,
      changes: JSON.parse(String(changes)),
    })),
  }
}
