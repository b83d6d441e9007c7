import { type SQL, sql } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import type { Statement } from '../db/commit.ts'
import { jsonRows } from '../db/sql.ts'
import { fault } from '../faults.ts'
import { type Recording, record } from '../history/record.ts'
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
  edit: NonNullable<ChangeBugInput['cc']>,
  { people }: Pick<Current, 'people'>,
  bug: Pick<CurrentBug, 'id' | 'cc'>,
  standing: Standing,
): CcEdit {
  const idsOf = (logins: string[] = []) => [
    ...new Set(logins.map((login) => personNamed(people, 'cc', login).id)),
  ]
  const now = new Map(JSON.parse(bug.cc) as [number, string][])
  const wanted = edit.set === undefined ? undefined : idsOf(edit.set)
  const added = wanted ?? idsOf(edit.add)
  const remove =
    wanted === undefined
      ? idsOf(edit.remove)
      : [...now.keys()].filter((id) => !new Set(wanted).has(id))
  const other = remove.find((id) => now.has(id) && id !== person.id)
  if (other !== undefined && !standing.editBugs && !standing.isAssigneeOrQa) {
    throw fault('changeDenied', {
      field: 'cc',
      from: now.get(other) ?? '',
      to: '',
      who: 'the person, the assignee or somebody with editbugs',
    })
  }
  return { bugId: bug.id, add: added.filter((id) => !remove.includes(id)), remove }
}

/** The bugs whose CC list the edits really change, as a select of `bug_id`. */
export function bugsWithChangedCc(edits: readonly CcEdit[]): SQL {
  return sql`SELECT r.value ->> 'bugId' AS bug_id FROM ${jsonRows(edits)}
    WHERE EXISTS (${missing(sql`u.id`)}) OR EXISTS (${present(sql`u.id`)})`
}

/**
 * Edits of CC lists commute: insert if absent, delete if present, and history tells what really changed.
 * For a commit that has announced the change. Returns what `record` does.
 */
export function editCc(edits: readonly CcEdit[], recording: Recording): Statement[] {
  return [
    record(
      {
        field: 'cc',
        from: jsonRows(edits),
        bugId: sql`r.value ->> 'bugId'`,
        removed: listed(present, 'login'),
        removedFolded: listed(present, 'login_fold'),
        added: listed(missing, 'login'),
        addedFolded: listed(missing, 'login_fold'),
      },
      recording,
    ),
    sql`DELETE FROM bug_cc WHERE (bug_id, user_id) IN (
      SELECT r.value ->> 'bugId', u.value FROM ${jsonRows(edits)}, json_each(r.value, '$.remove') u)`,
    sql`INSERT OR IGNORE INTO bug_cc (bug_id, user_id)
      SELECT r.value ->> 'bugId', u.value FROM ${jsonRows(edits)}, json_each(r.value, '$.add') u`,
  ]
}

function listed(people: (columns: SQL) => SQL, column: string): SQL {
  const each = people(sql`u.${sql.raw(column)} AS name, u.login_fold AS place`)
  return sql`coalesce((SELECT group_concat(name, ', ' ORDER BY place) FROM (${each})), '')`
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
