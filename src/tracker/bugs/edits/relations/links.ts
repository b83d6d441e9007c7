import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { abortIf } from '../../../../platform/db/commit.ts'
import { dependencies, regressions } from '../../../../platform/db/schema/bugs.ts'
import { columnName, columnNames, sql } from '../../../../platform/db/sql.ts'
import type { Edit, ListEdit } from '../../model/capability.ts'
import { assertFewPairs, type EditGroup, groupEdits, pairRows } from '../statements.ts'
import { loopCondition } from './loops.ts'

export type RelationField = 'depends_on' | 'blocks' | 'regressed_by' | 'regressions'

/** A table of links between bugs, read from `bug_id` to its other column, and the field of either side. */
export type Relation = {
  readonly table: typeof dependencies | typeof regressions
  readonly column: SQLiteColumn
  readonly field: RelationField
  readonly mirror: RelationField
}

export const RELATIONS: readonly Relation[] = [
  { table: dependencies, column: dependencies.dependsOnId, field: 'depends_on', mirror: 'blocks' },
  {
    table: regressions,
    column: regressions.regressedById,
    field: 'regressed_by',
    mirror: 'regressions',
  },
]

/** The edits of both sides of a relation, by the IDs of bugs. */
export type Sides = Readonly<Record<'field' | 'mirror', readonly Edit[]>>

/**
 * Edits of a relation from either side. Both bugs of each link get history. The commit fails when links that others
 * have added meanwhile close a loop with these.
 */
export function editRelation(relation: Relation, sides: Sides): ListEdit {
  assertFewPairs(relation.field, sides.field)
  assertFewPairs(relation.mirror, sides.mirror)
  const groups = [...groupEdits(sides.field), ...groupEdits(sides.mirror).map(reverseLinks)]
  const { table, column } = relation
  const pairs = sql`SELECT bug_id, item, is_added, min(place) AS place, min(bug_place) AS bug_place
    FROM (${pairRows(groups)}) GROUP BY bug_id, item, is_added`
  const isRealChange = sql`p.is_added <> EXISTS (SELECT 1 FROM ${table} x
    WHERE x.${columnName(table.bugId)} = p.bug_id AND x.${columnName(column)} = p.item)`
  const changesOfSide = (field: string, near: SQL, far: SQL, place: SQL) =>
    sql`SELECT ${near} AS bug_id, ${field} AS field, p.is_added, CAST(${far} AS TEXT) AS name,
      CAST(${far} AS TEXT) AS name_fold, ${place} AS place FROM (${pairs}) p WHERE ${isRealChange}`
  const isAdding = groups.some(({ isAdded }) => isAdded === 1)
  return {
    changed: [
      changesOfSide(relation.field, sql`p.bug_id`, sql`p.item`, sql`p.place`),
      changesOfSide(relation.mirror, sql`p.item`, sql`p.bug_id`, sql`p.bug_place`),
    ],
    statements: [
      sql`DELETE FROM ${table} WHERE (${table.bugId}, ${column}) IN (
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 0)`,
      sql`INSERT OR IGNORE INTO ${table} (${columnNames(table.bugId, column)})
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 1`,
      ...(isAdding ? [abortIf(loopCondition(relation, originsOf(sides)))] : []),
    ],
  }
}

/**
 * Bugs on every loop that these edits may close. Each new link joins an edited bug to a named one, so the
 * shorter list of the two is enough.
 */
export function originsOf({ field, mirror }: Sides): number[] {
  const adding = [...field, ...mirror].filter(({ add }) => add.length > 0)
  const edited = new Set(adding.map(({ bugId }) => bugId))
  const named = new Set(adding.flatMap(({ add }) => add))
  return [...(named.size < edited.size ? named : edited)]
}

/** The same links, seen from their other end. */
function reverseLinks({ bugs, items, isAdded }: EditGroup): EditGroup {
  return { bugs: items as number[], items: bugs, isAdded }
}
