import type { SQL } from 'drizzle-orm'
import { sql } from '../../db/sql.ts'

/** Where a field stands in the table `bugs`, and how history tells its value there. */
type Place = { readonly column: string; readonly words: SQL<string>; readonly folded: SQL<string> }

/**
 * The single-valued fields that an update may change, by their API names. The words are those of the
 * contract's history record: names instead of IDs, `1` and `0` for truth, nothing as the empty text.
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
  is_cc_accessible: same('is_cc_accessible', sql`CAST(bugs.is_cc_accessible AS TEXT)`),
  is_creator_accessible: same(
    'is_creator_accessible',
    sql`CAST(bugs.is_creator_accessible AS TEXT)`,
  ),
  status: named('field_values', 'status_id'),
  resolution: named('field_values', 'resolution_id'),
  is_confirmed: same('is_confirmed', sql`CAST(bugs.is_confirmed AS TEXT)`),
  dupe_of: same('dupe_of_id', sql`coalesce(CAST(bugs.dupe_of_id AS TEXT), '')`),
  deadline: same('deadline', sql`coalesce(bugs.deadline, '')`),
  estimated_time: same('estimated_time', sql`printf('%.10g', bugs.estimated_time)`),
  remaining_time: same('remaining_time', sql`printf('%.10g', bugs.remaining_time)`),
}

export type Field = keyof typeof HISTORY_FIELDS

function text(column: string): Place {
  const words = sql<string>`coalesce(bugs.${sql.raw(column)}, '')`
  return { column, words, folded: sql`coalesce(bugs.${sql.raw(`${column}_fold`)}, '')` }
}

function named(table: string, column: string): Place {
  const name = (form: string) =>
    sql<string>`(SELECT v.${sql.raw(form)} FROM ${sql.raw(table)} v
      WHERE v.id = bugs.${sql.raw(column)})`
  return { column, words: name('name'), folded: name('name_fold') }
}

function person(column: string): Place {
  const login = (form: string) =>
    sql<string>`coalesce((SELECT u.${sql.raw(form)} FROM users u
      WHERE u.id = bugs.${sql.raw(column)}), '')`
  return { column, words: login('login'), folded: login('login_fold') }
}

function same(column: string, words: SQL<string>): Place {
  return { column, words, folded: words }
}
