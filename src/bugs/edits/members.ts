import type { SQL } from 'drizzle-orm'
import { sql } from '../../db/sql.ts'
import { type Edit, type ListEdit, pairsOf } from './statements.ts'

/** A list of bugs whose items are rows of another table. */
type Membership = {
  /** The API name of the field. */
  readonly field: string
  /** The table of pairs, and its column with the ID of the item. */
  readonly table: string
  readonly column: string
  /** The table of the items, and its columns with their name as history tells it. */
  readonly of: string
  readonly name: string
}

const CC = { field: 'cc', table: 'bug_cc', column: 'user_id', of: 'users', name: 'login' }
const KEYWORDS = {
  field: 'keywords',
  table: 'bug_keywords',
  column: 'keyword_id',
  of: 'keywords',
  name: 'name',
}
const GROUPS = {
  field: 'groups',
  table: 'bug_groups',
  column: 'group_id',
  of: 'access_groups',
  name: 'name',
}

/** Edits of CC lists by the IDs of people. Contract "Bugs", cc. */
export function editCc(edits: readonly Edit[]): ListEdit {
  return editMembers(CC, edits)
}

/** Edits of groups by their IDs. Contract "Bugs", groups. */
export function editGroups(edits: readonly Edit[]): ListEdit {
  return editMembers(GROUPS, edits)
}

/** Edits of keywords by their IDs. Contract "Bugs", keywords. */
export function editKeywords(edits: readonly Edit[]): ListEdit {
  return editMembers(KEYWORDS, edits)
}

function editMembers(list: Membership, edits: readonly Edit[]): ListEdit {
  const [table, column, of] = [list.table, list.column, list.of].map((name) => sql.raw(name)) as [
    SQL,
    SQL,
    SQL,
  ]
  const name = sql.raw(`n.${list.name}`)
  const fold = sql.raw(`n.${list.name}_fold`)
  const pairs = pairsOf(edits)
  return {
    changed: [
      sql`SELECT p.bug_id, ${list.field} AS field, p.is_added, ${name} AS name,
          ${fold} AS name_fold, ${fold} AS place
        FROM (${pairs}) p JOIN ${of} n ON n.id = p.item
        WHERE p.is_added <> EXISTS (SELECT 1 FROM ${table} x
          WHERE x.bug_id = p.bug_id AND x.${column} = p.item)`,
    ],
    statements: [
      sql`DELETE FROM ${table} WHERE (bug_id, ${column}) IN (
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 0)`,
      sql`INSERT OR IGNORE INTO ${table} (bug_id, ${column})
        SELECT bug_id, item FROM (${pairs}) WHERE is_added = 1`,
    ],
  }
}
