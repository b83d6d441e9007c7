import type { Person } from '../../../platform/access/caller.ts'
import { bugTags } from '../../../platform/db/schema/bugs.ts'
import { columnNames, jsonList, jsonRows, sql } from '../../../platform/db/sql.ts'
import { fault, textTooLong } from '../../../platform/faults/fault.ts'
import type { EditSet } from '../../../platform/http/operations/edit-set.ts'
import { cleanLine, fold, lengthOf } from '../../../platform/lib/text.ts'
import { type Capability, capability, type ListEdit } from '../model/capability.ts'
import { editSet } from './list-input.ts'

const BUG_TAGS_COLUMNS = columnNames(bugTags.userId, bugTags.bugId, bugTags.name, bugTags.nameFold)

const MAX_TAG_LENGTH = 64

/**
 * Edits of the caller's own tags on bugs. Tags are private to the caller: no history, no notice, and the
 * bug does not count as changed; only the answer tells what happened.
 */
export const tagsCapability: Capability = capability({
  input: { tags: editSet(/,/) },

  decideAll(decisions, { input, person }) {
    const bugIds = decisions.map(({ bug }) => bug.id)
    return input.tags === undefined ? {} : { edits: [editTags(person, input.tags, bugIds)] }
  },
})

function editTags(person: Person, edit: EditSet, bugIds: readonly number[]): ListEdit {
  const removed = edit.set === undefined ? (edit.remove ?? []).flatMap(parseTag) : []
  const added = (edit.set ?? edit.add ?? [])
    .flatMap(parseTag)
    .filter((tag) => !removed.some((other) => other.fold === tag.fold))
  const folds = (some: readonly { fold: string }[]) => jsonList(some.map((tag) => tag.fold))
  const own = sql`${bugTags.userId} = ${person.id} AND ${bugTags.bugId} IN ${jsonList(bugIds)}`
  return {
    changed: [],
    statements: [
      sql`INSERT OR IGNORE INTO bug_tags (${BUG_TAGS_COLUMNS})
        SELECT ${person.id}, b.value, r.value ->> 'name', r.value ->> 'fold'
        FROM json_each(${JSON.stringify(bugIds)}) b, ${jsonRows(added)}
        RETURNING ${bugTags.bugId}, ${bugTags.name} AS tag_added`,
      sql`DELETE FROM bug_tags WHERE ${own} AND ${bugTags.nameFold}
          ${edit.set === undefined ? sql`IN ${folds(removed)}` : sql`NOT IN ${folds(added)}`}
        RETURNING ${bugTags.bugId}, ${bugTags.name} AS tag_removed`,
    ],
  }
}

/** What happened to the tags of each bug, by the rows that the statements of an edit return. */
export function presentTagChanges(
  rows: readonly Readonly<Record<string, unknown>>[],
): Map<unknown, { removed: string; added: string }> {
  const join = (names: unknown[]) =>
    names
      .filter((name) => name !== undefined)
      .sort()
      .join(', ')
  return new Map(
    [...Map.groupBy(rows, (row) => row.bug_id)].map(([bugId, own]) => {
      const removed = join(own.map((row) => row.tag_removed))
      return [bugId, { removed, added: join(own.map((row) => row.tag_added)) }]
    }),
  )
}

function parseTag(given: string): { name: string; fold: string }[] {
  const name = cleanLine(given)
  const length = lengthOf(name)
  if (length > MAX_TAG_LENGTH) {
    throw fault(textTooLong, { field: 'tags', length, most: MAX_TAG_LENGTH })
  }
  return name === '' ? [] : [{ name, fold: fold(name) }]
}
