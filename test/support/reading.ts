import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import type { Caller } from '../../src/access/caller.ts'
import type { Role } from '../../src/access/roles.ts'
import { jsonList } from '../../src/db/sql.ts'
import { fold } from '../../src/lib/text.ts'
import { ANYONE, get, post, type Sender } from './client.ts'
import { write } from './happening.ts'
import {
  newBug,
  product,
  type TestGroup,
  type TestPerson,
  type TestProduct,
  unique,
} from './world.ts'

/** Somebody as verbs see them, without asking the database. */
export function callerOf(who: TestPerson, roles: Role[] = []): Caller {
  const { id, login } = who
  return {
    kind: 'person',
    id,
    login,
    realName: '',
    nick: null,
    groups: new Set(),
    roles: new Set(roles),
  }
}

/** Files a bug as a client does; answers its ID. */
export async function filed(
  who: Sender,
  place: TestProduct,
  more: Record<string, unknown> = {},
): Promise<number> {
  const answer = await post(who, '/rest/bug', newBug(place, more))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.id
}

/** Puts a bug into groups. */
export async function restrict(bugId: number, ...groups: TestGroup[]): Promise<void> {
  await write(
    ...groups.map(
      ({ id }) => sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${bugId}, ${id})`,
    ),
  )
}

/** Sets columns of a bug, behind the back of every rule. */
export async function alter(bugId: number, columns: Record<string, string | number | null>) {
  const assignments = Object.entries(columns).map(
    ([name, value]) => sql`${sql.raw(name)} = ${value}`,
  )
  await write(sql`UPDATE bugs SET ${sql.join(assignments, sql`, `)} WHERE id = ${bugId}`)
}

/** Copies of a bug, `count` of them, without anything that hangs on it; answers their IDs, lowest first. */
export async function copies(bugId: number, count: number): Promise<number[]> {
  const rows = await write(sql`WITH RECURSIVE n(i) AS (
      SELECT 1 WHERE ${count} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO bugs (summary, summary_fold, product_id, component_id, version_id, milestone_id,
      status_id, resolution_id, is_confirmed, type_id, priority_id, severity_id, platform_id, op_sys_id,
      assigned_to_id, reporter_id, created_at, changed_at)
    SELECT summary || ' ' || i, summary_fold || ' ' || i, product_id, component_id, version_id,
      milestone_id, status_id, resolution_id, is_confirmed, type_id, priority_id, severity_id,
      platform_id, op_sys_id, assigned_to_id, reporter_id, created_at + i, changed_at + i
    FROM n JOIN bugs ON bugs.id = ${bugId} ORDER BY i RETURNING id`)
  const ids = rows.map((row) => Number(row.id)).sort((a, b) => a - b)
  // as their descriptions would have done
  await write(sql`INSERT INTO bugs_summary_fts(rowid, summary_fold)
    SELECT id, summary_fold FROM bugs WHERE id IN ${jsonList(ids)}`)
  return ids
}

/** A product with so many open bugs that are alike; their IDs, lowest first. */
export async function manyBugs(
  owner: TestPerson,
  count: number,
): Promise<{ place: TestProduct; ids: number[] }> {
  const place = await product({ assignee: owner })
  const first = await filed(owner, place)
  return { place, ids: [first, ...(await copies(first, count - 1))] }
}

/** A custom field of a type of its own; answers its ID and its name. */
export async function customField(
  type: number,
  more: { isObsolete?: boolean; values?: string[] } = {},
): Promise<{ id: number; name: string }> {
  const name = `cf_${unique('field').toLowerCase()}`
  const [row] =
    await write(sql`INSERT INTO fields (name, display_name, type, is_custom, is_obsolete)
    VALUES (${name}, ${name}, ${type}, 1, ${more.isObsolete ? 1 : 0}) RETURNING id`)
  const id = Number(row?.id)
  await write(
    ...(more.values ?? []).map(
      (value) => sql`INSERT INTO field_values (field_id, name, name_fold)
        VALUES (${id}, ${value}, ${fold(value)})`,
    ),
  )
  return { id, name }
}

/** Gives a bug a value of a custom field: a text, a number, or one of the choices. */
export async function setCustom(
  bugId: number,
  field: { id: number },
  value: { text: string } | { number: number } | { choice: string },
): Promise<void> {
  const text = 'text' in value ? value.text : null
  const number = 'number' in value ? value.number : null
  const choice = 'choice' in value ? value.choice : null
  await write(sql`INSERT INTO custom_values (bug_id, field_id, text, text_fold, number, value_id)
    VALUES (${bugId}, ${field.id}, ${text}, ${text}, ${number},
      (SELECT id FROM field_values WHERE field_id = ${field.id} AND name = ${choice}))`)
}

/** One bug as somebody is shown it. */
export async function shown(bugId: number, who: Sender = ANYONE, query = '') {
  const answer = await get(who, `/rest/bug/${bugId}${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs[0]
}

/** The IDs that a search answers, in order. */
export async function found(query: string, who: Sender = ANYONE): Promise<number[]> {
  const answer = await get(who, `/rest/bug?include_fields=id&${query}`)
  expect(answer.status, answer.text).toBe(200)
  return answer.body.bugs.map((bug: { id: number }) => bug.id)
}
