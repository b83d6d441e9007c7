import type { SQL } from 'drizzle-orm'
import type { Statement } from '../../db/commit.ts'
import { sql } from '../../db/sql.ts'
import { type HistoryOrigin, recordHistory } from '../../history/record.ts'

/**
 * An edit of lists of bugs. Edits commute: insert if absent, delete if present, and what really changes
 * is found out inside the commit, so that many people may edit one list at once and none has to decide
 * again.
 */
export type ListEdit = {
  /**
   * What really changes, item by item, as selects of `bug_id`, `field`, `is_added`, `name`, `name_fold`
   * and `place`: one for each field whose history it is.
   */
  readonly changed: readonly SQL[]
  /** What makes the change, behind the history of all edits. */
  readonly statements: readonly Statement[]
}

/** What to add to a list of one bug, and what to remove from it: no item stands in both. */
export type Edit<Item = number> = {
  readonly bugId: number
  readonly add: readonly Item[]
  readonly remove: readonly Item[]
}

/** Stands for the bug that is filed in the same commit, whose ID nobody knows yet. */
export const NEW_BUG = 0

/** The bug that is filed in the commit at hand. */
export const FILED = sql`(SELECT max(id) FROM bugs)`

/**
 * The items of edits as rows of `bug_id`, `item`, `is_added`, `place` and `bug_place`. Bugs with the same
 * edit share it, so that a long list for many bugs is sent once.
 */
export function pairsOf<Item>(edits: readonly Edit<Item>[]): SQL {
  return pairRows(groupsOf(edits))
}

/** Every bug of a group gets, or loses, every item of it. */
export type Group = {
  readonly bugs: readonly number[]
  readonly items: readonly unknown[]
  readonly isAdded: 0 | 1
}

/** The same edits, with those that are alike in one group. */
export function groupsOf<Item>(edits: readonly Edit<Item>[]): Group[] {
  const alike = Map.groupBy(edits, ({ add, remove }) => JSON.stringify([add, remove]))
  const groups = [...alike.values()].flatMap((same): Group[] => {
    const bugs = same.map(({ bugId }) => bugId)
    const [first] = same
    return [
      { bugs, items: first?.remove ?? [], isAdded: 0 },
      { bugs, items: first?.add ?? [], isAdded: 1 },
    ]
  })
  return groups.filter(({ items }) => items.length > 0)
}

/** Every pair of a bug and an item in each group, as `pairsOf` answers them. */
export function pairRows(groups: readonly Group[]): SQL {
  return sql`SELECT ${real(sql`b.value`)} AS bug_id, ${real(sql`i.value`)} AS item,
      g.value ->> 'isAdded' AS is_added, i.key AS place, b.key AS bug_place
    FROM json_each(${JSON.stringify(groups)}) g, json_each(g.value, '$.bugs') b,
      json_each(g.value, '$.items') i`
}

/** The bugs that edits really change, as a select of `bug_id`. */
export function touchedBy(edits: readonly ListEdit[]): SQL {
  return union(edits.flatMap(({ changed }) => changed))
}

/**
 * The history of edits and then the edits, for a commit that has announced `touchedBy`. Each history
 * statement answers what `record` does. A bug in `filed` gets no history: what it begins with is no change.
 */
export function editStatements(
  edits: readonly ListEdit[],
  recording: HistoryOrigin,
  filed: SQL = sql`0`,
): Statement[] {
  return [
    ...edits.flatMap(({ changed }) =>
      changed.map((items) =>
        recordHistory(
          {
            field: sql`c.field`,
            from: sql`(${items}) c WHERE c.bug_id <> ${filed} GROUP BY c.bug_id, c.field`,
            bugId: sql`c.bug_id`,
            removed: listed('name', 0),
            removedFolded: listed('name_fold', 0),
            added: listed('name', 1),
            addedFolded: listed('name_fold', 1),
          },
          recording,
        ),
      ),
    ),
    ...edits.flatMap(({ statements }) => statements),
  ]
}

function listed(column: string, isAdded: number): SQL {
  return sql`coalesce(group_concat(c.${sql.raw(column)}, ', ' ORDER BY c.place)
    FILTER (WHERE c.is_added = ${sql.raw(String(isAdded))}), '')`
}

/** The ID of a bug, where that of the one filed right now is still unknown. */
export function real(id: SQL): SQL {
  return sql`CASE ${id} WHEN ${sql.raw(String(NEW_BUG))} THEN ${FILED} ELSE ${id} END`
}

/** Joined two by two: D1 takes five selects in a row at most. */
function union(selects: readonly SQL[]): SQL {
  if (selects.length < 2) {
    return sql`SELECT bug_id FROM (${selects[0] ?? sql`SELECT 0 AS bug_id WHERE 0`})`
  }
  const middle = Math.ceil(selects.length / 2)
  return sql`SELECT bug_id FROM (${union(selects.slice(0, middle))})
    UNION SELECT bug_id FROM (${union(selects.slice(middle))})`
}
