import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import type { Statement } from '../../../platform/db/commit.ts'
import {
  type bugCc,
  type bugGroups,
  type bugKeywords,
  bugs as bugsTable,
} from '../../../platform/db/schema/bugs.ts'
import type { keywords } from '../../../platform/db/schema/fields.ts'
import type { groups } from '../../../platform/db/schema/groups.ts'
import type { users } from '../../../platform/db/schema/users.ts'
import { columnName, columnNames, sql, unionOf } from '../../../platform/db/sql.ts'
import { invalidParameter } from '../../../platform/faults/fault.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'
import type { Edit, ListEdit } from '../model/capability.ts'

/** The bug that the same commit files, whose ID is not known yet. */
export const NEW_BUG = 0

/** The bug that is filed in the commit at hand. */
export const FILED = sql`(SELECT max(${bugsTable.id}) FROM bugs)`

/**
 * The items of edits as rows of `bug_id`, `item`, `is_added`, `place` and `bug_place`. Bugs with the same
 * edit share it, so that a long list for many bugs is sent once.
 */
export function editPairs<Item>(edits: readonly Edit<Item>[]): SQL {
  return pairRows(groupEdits(edits))
}

/**
 * Entries that one edit may add to and remove from the lists of all its bugs; each takes a tenth of a
 * millisecond.
 */
export const MAX_PAIRS = 10_000

/** Refuses an edit of a list that would change too many entries. */
export function assertFewPairs(
  field: string,
  edits: readonly Pick<Edit<unknown>, 'add' | 'remove'>[],
): void {
  const count = countPairs(field)
  edits.forEach(count)
}

/** Takes the changes of one list after another, and throws at the first entry too many. */
export function countPairs(field: string): (change: Pick<Edit<unknown>, 'add' | 'remove'>) => void {
  let pairs = 0
  return ({ add, remove }) => {
    pairs += add.length + remove.length
    if (pairs > MAX_PAIRS) {
      const most = MAX_PAIRS.toLocaleString('en')
      const reason = `would change more than ${most} entries; name fewer items or bugs at a time`
      throw invalidParameter(field, reason)
    }
  }
}

/** Every bug of a group gets, or loses, every item of it. */
export type EditGroup = {
  readonly bugs: readonly number[]
  readonly items: readonly unknown[]
  readonly isAdded: 0 | 1
}

/** The same edits, with those that are alike in one group. */
export function groupEdits<Item>(edits: readonly Edit<Item>[]): EditGroup[] {
  const alike = Map.groupBy(edits, ({ add, remove }) => JSON.stringify([add, remove]))
  const groups = [...alike.values()].flatMap((same): EditGroup[] => {
    const bugs = same.map(({ bugId }) => bugId)
    const [first] = same
    return [
      { bugs, items: first?.remove ?? [], isAdded: 0 },
      { bugs, items: first?.add ?? [], isAdded: 1 },
    ]
  })
  return groups.filter(({ items }) => items.length > 0)
}

/**
 * Every pair of a bug and an item in each group, as rows of `bug_id`, `item`, `is_added`, `place` and
 * `bug_place`.
 */
export function pairRows(groups: readonly EditGroup[]): SQL {
  // materialized, because otherwise each pair parses its whole group again
  return sql`WITH edit_groups AS MATERIALIZED (
      SELECT value -> 'bugs' AS bugs, value -> 'items' AS items, value ->> 'isAdded' AS is_added
      FROM json_each(${JSON.stringify(groups)}))
    SELECT ${realId(sql`b.value`)} AS bug_id, ${realId(sql`i.value`)} AS item,
      g.is_added, i.key AS place, b.key AS bug_place
    FROM edit_groups g, json_each(g.bugs) b, json_each(g.items) i`
}

/** A list of bugs whose items are rows of another table. */
export type Membership = {
  /** The API name of the field. */
  readonly field: string
  /** The table of pairs, and its column with the ID of the item. */
  readonly table: typeof bugCc | typeof bugKeywords | typeof bugGroups
  readonly column: SQLiteColumn
  /** The table of the items, and its columns with their name in the form of history, also folded. */
  readonly itemTable: typeof users | typeof keywords | typeof groups
  readonly nameColumn: SQLiteColumn
  readonly foldColumn: SQLiteColumn
}

/** Edits of a list by the IDs of its items. */
export function editMembers(list: Membership, edits: readonly Edit[]): ListEdit {
  assertFewPairs(list.field, edits)
  const { table, column, itemTable } = list
  const name = sql`n.${columnName(list.nameColumn)}`
  const fold = sql`n.${columnName(list.foldColumn)}`
  const pairs = editPairs(edits)
  return {
    changed: [
      sql`SELECT p.bug_id, ${list.field} AS field, p.is_added, ${name} AS name,
          ${fold} AS name_fold, ${fold} AS place
        FROM (${pairs}) p JOIN ${itemTable} n ON n.${columnName(itemTable.id)} = p.item
        WHERE p.is_added <> EXISTS (SELECT 1 FROM ${table} x
          WHERE x.${columnName(table.bugId)} = p.bug_id AND x.${columnName(column)} = p.item)`,
    ],
    statements: [
      sql`DELETE FROM ${table} WHERE (${table.bugId}, ${column}) IN (
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 0)`,
      sql`INSERT OR IGNORE INTO ${table} (${columnNames(table.bugId, column)})
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 1`,
    ],
  }
}

const NO_BUG = sql`SELECT 0 AS bug_id WHERE 0`

/** The bugs that edits really change, as a select of `bug_id`. */
export function touchedBy(edits: readonly ListEdit[]): SQL {
  const changed = edits.flatMap((edit) => edit.changed)
  const selects = changed.map((items) => sql`SELECT bug_id FROM (${items})`)
  return sql`SELECT DISTINCT bug_id FROM (${unionOf([NO_BUG, ...selects])})`
}

/**
 * The history of edits, ahead of `listStatements` in a commit that has recorded notices for `touchedBy`.
 * Returns the rows of `recordHistory`. What the bug `filed` begins with is no change.
 */
export function listHistory(
  edits: readonly ListEdit[],
  recording: HistoryOrigin,
  filed: SQL = sql`0`,
): Statement[] {
  return edits.flatMap(({ changed }) =>
    changed.map((items) =>
      recordHistory(
        {
          field: sql`c.field`,
          from: sql`(${items}) c WHERE c.bug_id <> ${filed} GROUP BY c.bug_id, c.field`,
          bugId: sql`c.bug_id`,
          removed: joinItems('name', 0),
          removedFolded: joinItems('name_fold', 0),
          added: joinItems('name', 1),
          addedFolded: joinItems('name_fold', 1),
        },
        recording,
      ),
    ),
  )
}

/** The edits themselves. */
export function listStatements(edits: readonly ListEdit[]): Statement[] {
  return edits.flatMap(({ statements }) => statements)
}

function joinItems(column: string, isAdded: number): SQL {
  return sql`coalesce(group_concat(c.${sql.raw(column)}, ', ' ORDER BY c.place)
    FILTER (WHERE c.is_added = ${sql.raw(String(isAdded))}), '')`
}

/** The ID of a bug in SQL, with that of the bug that the commit files for `NEW_BUG`. */
export function realId(id: SQL): SQL {
  return sql`CASE ${id} WHEN ${sql.raw(String(NEW_BUG))} THEN ${FILED} ELSE ${id} END`
}
