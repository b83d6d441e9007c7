import { sql } from 'drizzle-orm'
import { expect } from 'vitest'
import { bugCc, bugGroups } from '../../../src/platform/db/schema/bugs.ts'
import { db, jsonList } from '../../../src/platform/db/sql.ts'
import { fold } from '../../../src/platform/lib/text.ts'
import { post, type Sender } from '../client.ts'
import { execute } from '../database/execute.ts'
import { insertGroup } from './groups.ts'
import { insertPerson } from './people.ts'
import { insertProduct } from './products.ts'
import type { TestBug, TestGroup, TestPerson, TestProduct } from './types.ts'
import { NOW, uniqueName } from './unique.ts'

/** The body of a new bug, complete enough to be filed. */
export function buildBugBody(place: TestProduct, more: Record<string, unknown> = {}) {
  return {
    product: place.name,
    component: place.component,
    version: place.version,
    summary: uniqueName('Something is wrong '),
    ...more,
  }
}

/** Files a bug over HTTP; returns its ID. */
export async function postBug(
  who: Sender,
  place: TestProduct,
  more: Record<string, unknown> = {},
): Promise<number> {
  const answer = await post(who, '/rest/bug', buildBugBody(place, more))
  expect(answer.status, answer.text).toBe(200)
  return answer.body.id
}

/** Inserts a bug past every rule, by default into a product of its own and in status CONFIRMED. */
export async function insertBug(
  options: {
    reporter?: TestPerson
    assignee?: TestPerson
    place?: TestProduct
    qaContact?: TestPerson
    cc?: TestPerson[]
    groups?: TestGroup[]
    status?: string
    summary?: string
  } = {},
): Promise<TestBug> {
  const reporter = options.reporter ?? (await insertPerson())
  const assignee = options.assignee ?? (await insertPerson())
  const place = options.place ?? (await insertProduct({ assignee }))
  const summary = options.summary ?? uniqueName('Something is wrong ')
  const value = (field: string, name: string) => sql`(SELECT v.id FROM field_values v
    JOIN fields f ON f.id = v.field_id WHERE f.name = ${field} AND v.name = ${name})`
  const of = (table: string) =>
    sql`(SELECT min(id) FROM ${sql.raw(table)} WHERE product_id = ${place.id})`
  const [row] = await execute(sql`INSERT INTO bugs (summary, summary_fold, product_id, component_id,
      version_id, milestone_id, status_id, resolution_id, is_confirmed, type_id, priority_id,
      severity_id, platform_id, op_sys_id, assigned_to_id, reporter_id, qa_contact_id, created_at,
      changed_at)
    VALUES (${summary}, ${fold(summary)}, ${place.id}, ${of('components')}, ${of('versions')},
      ${of('milestones')}, ${value('bug_status', options.status ?? 'CONFIRMED')},
      ${value('resolution', '')}, 1, ${value('bug_type', 'defect')}, ${value('priority', 'P1')},
      ${value('bug_severity', 'S2')}, ${value('rep_platform', 'Other')}, ${value('op_sys', 'Linux')},
      ${assignee.id}, ${reporter.id}, ${options.qaContact?.id ?? null}, ${NOW}, ${NOW})
    RETURNING id`)
  const id = Number(row?.id)
  await execute(
    ...(options.cc ?? []).map((member) =>
      db.insert(bugCc).values({ bugId: id, userId: member.id }),
    ),
    ...(options.groups ?? []).map((group) =>
      db.insert(bugGroups).values({ bugId: id, groupId: group.id }),
    ),
  )
  return { id, summary, reporter, assignee }
}

/** Inserts copies of the row of a bug, without comments, people and flags; returns their IDs, ascending. */
export async function copyBug(bugId: number, count: number): Promise<number[]> {
  const rows = await execute(sql`WITH RECURSIVE n(i) AS (
      SELECT 1 WHERE ${count} > 0 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO bugs (summary, summary_fold, product_id, component_id, version_id, milestone_id,
      status_id, resolution_id, is_confirmed, type_id, priority_id, severity_id, platform_id, op_sys_id,
      assigned_to_id, reporter_id, created_at, changed_at)
    SELECT summary || ' ' || i, summary_fold || ' ' || i, product_id, component_id, version_id,
      milestone_id, status_id, resolution_id, is_confirmed, type_id, priority_id, severity_id,
      platform_id, op_sys_id, assigned_to_id, reporter_id, created_at + i, changed_at + i
    FROM n JOIN bugs ON bugs.id = ${bugId} ORDER BY i RETURNING id`)
  const ids = rows.map((row) => Number(row.id)).sort((a, b) => a - b)
  // filing a bug fills this index with its description
  await execute(sql`INSERT INTO bugs_summary_fts(rowid, summary_fold)
    SELECT id, summary_fold FROM bugs WHERE id IN ${jsonList(ids)}`)
  return ids
}

/** Inserts a product with that many open bugs that are alike; returns their IDs, ascending. */
export async function insertBugs(
  owner: TestPerson,
  count: number,
): Promise<{ place: TestProduct; ids: number[] }> {
  const place = await insertProduct({ assignee: owner })
  const first = await postBug(owner, place)
  return { place, ids: [first, ...(await copyBug(first, count - 1))] }
}

/** Inserts groups of a bug, past every rule. */
export async function restrictBug(bugId: number, ...groups: TestGroup[]): Promise<void> {
  await execute(
    ...groups.map(
      ({ id }) => sql`INSERT INTO bug_groups (bug_id, group_id) VALUES (${bugId}, ${id})`,
    ),
  )
}

/** Hides bugs from everybody, so that they are in no answer of later tests. */
export async function hideBugs(ids: readonly number[]): Promise<void> {
  const { id } = await insertGroup()
  await execute(sql`INSERT OR IGNORE INTO bug_groups (bug_id, group_id)
    SELECT value, ${id} FROM json_each(${JSON.stringify(ids)})`)
}

/** Sets columns of the row of a bug, past every rule. */
export async function updateBugRow(bugId: number, columns: Record<string, string | number | null>) {
  const assignments = Object.entries(columns).map(
    ([name, value]) => sql`${sql.raw(name)} = ${value}`,
  )
  await execute(sql`UPDATE bugs SET ${sql.join(assignments, sql`, `)} WHERE id = ${bugId}`)
}

/** Makes a bug one that nobody has changed since long ago. */
export async function forgetChanges(id: number): Promise<void> {
  await updateBugRow(id, { changed_at: 1000 })
  await execute(
    sql`DELETE FROM history WHERE bug_id = ${id}`,
    sql`DELETE FROM notices WHERE bug_id = ${id}`,
  )
}
