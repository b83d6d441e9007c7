import type { SQL } from 'drizzle-orm'
import { bugs } from '../../db/schema/bugs.ts'
import { users } from '../../db/schema/users.ts'
import { aliasColumns, sql } from '../../db/sql.ts'

const u = aliasColumns(users, 'u')

/** The column of a field in the table `bugs`, and its value in the form of history. */
type FieldColumn = {
  readonly column: string
  readonly value: SQL<string>
  readonly folded: SQL<string>
}

/**
 * The single-valued fields that an update may change, by their API names. History holds names instead of
 * IDs, `1` and `0` for booleans, and the empty text for nothing.
 */
export const HISTORY_FIELDS = {
  alias: text('alias'),
  summary: text('summary'),
  url: text('url'),
  whiteboard: text('whiteboard'),
  type: named('field_values', 'type_id'),
  priority: named('field_values', 'priority_id'),
  severity: named('field_values', 'severity_id'),
  platform: named('field_values', 'platform_id'),
  op_sys: named('field_values', 'op_sys_id'),
  product: named('products', 'product_id'),
  component: named('components', 'component_id'),
  version: named('versions', 'version_id'),
  target_milestone: named('milestones', 'milestone_id'),
  assigned_to: person('assigned_to_id'),
  qa_contact: person('qa_contact_id'),
  is_cc_accessible: same('is_cc_accessible', sql`CAST(${bugs.isCcAccessible} AS TEXT)`),
  is_creator_accessible: same(
    'is_creator_accessible',
    sql`CAST(${bugs.isCreatorAccessible} AS TEXT)`,
  ),
  status: named('field_values', 'status_id'),
  resolution: named('field_values', 'resolution_id'),
  is_confirmed: same('is_confirmed', sql`CAST(${bugs.isConfirmed} AS TEXT)`),
  dupe_of: same('dupe_of_id', sql`coalesce(CAST(${bugs.dupeOfId} AS TEXT), '')`),
  deadline: same('deadline', sql`coalesce(${bugs.deadline}, '')`),
  estimated_time: same('estimated_time', sql`printf('%.10g', ${bugs.estimatedTime})`),
  remaining_time: same('remaining_time', sql`printf('%.10g', ${bugs.remainingTime})`),
}

export type Field = keyof typeof HISTORY_FIELDS

/** A new value for a field of one bug: what its column gets, and the same in the form of history. */
export type FieldChange<Name extends Field = Field> = {
  readonly field: Name
  readonly value: string | number | null
  /** For a column that has a folded companion. */
  readonly folded?: string | null
  readonly added: string
}

function text(column: string): FieldColumn {
  const value = sql<string>`coalesce(bugs.${sql.raw(column)}, '')`
  return { column, value, folded: sql`coalesce(bugs.${sql.raw(`${column}_fold`)}, '')` }
}

function named(table: string, column: string): FieldColumn {
  const name = (form: string) =>
    sql<string>`(SELECT v.${sql.raw(form)} FROM ${sql.raw(table)} v
      WHERE v.id = bugs.${sql.raw(column)})`
  return { column, value: name('name'), folded: name('name_fold') }
}

function person(column: string): FieldColumn {
  const login = (form: string) =>
    sql<string>`coalesce((SELECT u.${sql.raw(form)} FROM users u
      WHERE ${u.id} = bugs.${sql.raw(column)}), '')`
  return { column, value: login('login'), folded: login('login_fold') }
}

function same(column: string, value: SQL<string>): FieldColumn {
  return { column, value, folded: value }
}
