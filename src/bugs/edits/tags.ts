import type { Person } from '../../access/caller.ts'
import { jsonList, jsonRows, sql } from '../../db/sql.ts'
import { fault } from '../../faults.ts'
import type { EditSet } from '../../http/edit-set.ts'
import { cleanLine, fold, lengthOf } from '../../lib/text.ts'
import type { ListEdit } from './statements.ts'

const LONGEST_TAG = 64

/**
 * Edits of the caller's own tags on bugs. They are nobody else's business: no history, no notice, and the
 * bug is not changed by them. Fault 104 for a tag that is too long. Contract "Bug", tags.
 */
export function decideTags(
  person: Person,
  edit: EditSet | undefined,
  bugIds: readonly number[],
): ListEdit[] {
  if (edit === undefined) {
    return []
  }
  const added = (edit.set ?? edit.add ?? []).flatMap(tagOf)
  const removed = edit.set === undefined ? (edit.remove ?? []).flatMap(tagOf) : []
  const folds = (tags: readonly { fold: string }[]) => jsonList(tags.map((tag) => tag.fold))
  const mine = sql`user_id = ${person.id} AND bug_id IN ${jsonList(bugIds)}`
  return [
    {
      changed: [],
      statements: [
        sql`INSERT OR IGNORE INTO bug_tags (user_id, bug_id, name, name_fold)
          SELECT ${person.id}, b.value, r.value ->> 'name', r.value ->> 'fold'
          FROM json_each(${JSON.stringify(bugIds)}) b, ${jsonRows(added)}`,
        edit.set === undefined
          ? sql`DELETE FROM bug_tags WHERE ${mine} AND name_fold IN ${folds(removed)}`
          : sql`DELETE FROM bug_tags WHERE ${mine} AND name_fold NOT IN ${folds(added)}`,
      ],
    },
  ]
}

function tagOf(given: string): { name: string; fold: string }[] {
  const name = cleanLine(given)
  const length = lengthOf(name)
  if (length > LONGEST_TAG) {
    throw fault('textTooLong', { field: 'tags', length, most: LONGEST_TAG })
  }
  return name === '' ? [] : [{ name, fold: fold(name) }]
}
