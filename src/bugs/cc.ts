import { type SQL, sql } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import type { Statement } from '../db/commit.ts'
import { jsonRows } from '../db/sql.ts'
import { fault } from '../faults.ts'
import type { Recording } from '../history/record.ts'
import type { ChangeBugInput } from './change-input.ts'
import type { Current, CurrentBug } from './change-load.ts'
import { personNamed } from './lookup.ts'
import type { Standing } from './workflow.ts'

/** Who is to be on the CC list of one bug, and who is not: no person stands in both. */
export type CcEdit = { readonly bugId: number; readonly add: number[]; readonly remove: number[] }

/**
 * Reads the edits of a CC list. An addition comes before a removal, so who is in both ends up off the
 * list; `set` becomes the additions and removals that lead to it. Anybody may add anybody and remove
 * themselves; removing others is for assignee, QA contact and editbugs. Contract "Bugs", cc. Faults 504
 * and 115.
 */
export function decideCc(
  person: Person,
  input: ChangeBugInput,
  { people }: Current,
  bug: CurrentBug,
  standing: Standing,
): CcEdit {
  const idsOf = (logins: string[] = []) =>
    logins.map((login) => personNamed(people, 'cc', login).id)
  const now = new Map(JSON.parse(bug.cc) as [number, string][])
  const edit = input.cc
  const wanted = edit?.set === undefined ? undefined : new Set(idsOf(edit.set))
  const remove =
    wanted === undefined ? idsOf(edit?.remove) : [...now.keys()].filter((id) => !wanted.has(id))
  const add = (wanted === undefined ? idsOf(edit?.add) : [...wanted]).filter(
    (id) => !remove.includes(id),
  )
  const other = remove.find((id) => now.has(id) && id !== person.id)
  if (other !== undefined && !standing.editBugs && !standing.isAssigneeOrQa) {
    const from = now.get(other) ?? ''
    throw fault('changeDenied', {
      field: 'cc',
      from,
      to: '',
      who: 'the person, the assignee or somebody with editbugs',
    })
  }
  return { bugId: bug.id, add, remove }
}

/** The bugs whose CC list the edits really change, as a select of `bug_id`. */
export function bugsWithChangedCc(edits: readonly CcEdit[]): SQL {
  return sql`SELECT r.value ->> 'bugId' AS bug_id FROM ${jsonRows(edits)}
    WHERE EXISTS (${missing(sql`u.id`)}) OR EXISTS (${present(sql`u.id`)})`
}

/**
 * Edits of CC lists commute: insert if absent, delete if present, and a history row that tells what
 * really changed. The first statement returns those rows; it must run before the others.
 */
export function editCc(edits: readonly CcEdit[], recording: Recording): Statement[] {
  const logins = (people: SQL) =>
    sql`coalesce((SELECT group_concat(login, ', ' ORDER BY login_fold) FROM (${people})), '')`
  const person = sql`u.login, u.login_fold`
  return [
    sql`INSERT INTO history (bug_id, author_id, changed_at, field, removed, removed_fold, added,
        added_fold, notice_id)
      SELECT bug_id, ${recording.authorId}, ${recording.at}, 'cc', removed, lower(removed), added,
        lower(added), ${recording.noticeOf(sql`bug_id`)}
      FROM (SELECT r.value ->> 'bugId' AS bug_id, ${logins(present(person))} AS removed,
          ${logins(missing(person))} AS added FROM ${jsonRows(edits)} ORDER BY r.key)
      WHERE removed <> added RETURNING bug_id, removed, added`,
    sql`DELETE FROM bug_cc WHERE (bug_id, user_id) IN (
      SELECT r.value ->> 'bugId', u.value FROM ${jsonRows(edits)}, json_each(r.value, '$.remove') u)`,
    sql`INSERT OR IGNORE INTO bug_cc (bug_id, user_id)
      SELECT r.value ->> 'bugId', u.value FROM ${jsonRows(edits)}, json_each(r.value, '$.add') u`,
  ]
}

/** People to be added who are not there yet. */
function missing(columns: SQL): SQL {
  return sql`SELECT ${columns} FROM json_each(r.value, '$.add') a JOIN users u ON u.id = a.value
    WHERE NOT EXISTS (SELECT 1 FROM bug_cc c
      WHERE c.bug_id = r.value ->> 'bugId' AND c.user_id = u.id)`
}

/** People to be removed who are there. */
function present(columns: SQL): SQL {
  return sql`SELECT ${columns} FROM json_each(r.value, '$.remove') a JOIN users u ON u.id = a.value
    WHERE EXISTS (SELECT 1 FROM bug_cc c
      WHERE c.bug_id = r.value ->> 'bugId' AND c.user_id = u.id)`
}
