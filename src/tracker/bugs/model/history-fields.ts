import type { SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../../platform/db/schema/fields.ts'
import { components, milestones, products, versions } from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { aliasColumns, sql } from '../../../platform/db/sql.ts'
import { normalizeUrl, normalizeWhiteboard } from './text-rules.ts'

const u = aliasColumns(users, 'u')

export type FieldColumn = {
  readonly column: SQLiteColumn
  /** The column with the folded form, if it has one. */
  readonly companion?: SQLiteColumn
  readonly value: SQL<string>
  readonly folded: SQL<string>
  /** What is stored of a text that a request sends, for a field that depends on nothing else. */
  readonly parse?: (given: string) => string | null
}

/**
 * The single-valued fields that an update may change, by their API names. History holds names instead of
 * IDs, `1` and `0` for booleans, and the empty text for nothing.
 */
export const HISTORY_FIELDS = {
  alias: text(bugs.alias, bugs.aliasFold),
  summary: text(bugs.summary, bugs.summaryFold),
  url: { ...text(bugs.url, bugs.urlFold), parse: normalizeUrl },
  whiteboard: { ...text(bugs.whiteboard, bugs.whiteboardFold), parse: normalizeWhiteboard },
  type: named(fieldValues, bugs.typeId),
  priority: named(fieldValues, bugs.priorityId),
  severity: named(fieldValues, bugs.severityId),
  platform: named(fieldValues, bugs.platformId),
  op_sys: named(fieldValues, bugs.opSysId),
  product: named(products, bugs.productId),
  component: named(components, bugs.componentId),
  version: named(versions, bugs.versionId),
  target_milestone: named(milestones, bugs.milestoneId),
  assigned_to: person(bugs.assignedToId),
  qa_contact: person(bugs.qaContactId),
  is_cc_accessible: same(bugs.isCcAccessible, sql`CAST(${bugs.isCcAccessible} AS TEXT)`),
  is_creator_accessible: same(
    bugs.isCreatorAccessible,
    sql`CAST(${bugs.isCreatorAccessible} AS TEXT)`,
  ),
  status: named(fieldValues, bugs.statusId),
  resolution: named(fieldValues, bugs.resolutionId),
  is_confirmed: same(bugs.isConfirmed, sql`CAST(${bugs.isConfirmed} AS TEXT)`),
  dupe_of: same(bugs.dupeOfId, sql`coalesce(CAST(${bugs.dupeOfId} AS TEXT), '')`),
  deadline: same(bugs.deadline, sql`coalesce(${bugs.deadline}, '')`),
  estimated_time: same(bugs.estimatedTime, sql`printf('%.10g', ${bugs.estimatedTime})`),
  remaining_time: same(bugs.remainingTime, sql`printf('%.10g', ${bugs.remainingTime})`),
} satisfies Readonly<Record<string, FieldColumn>>

export type RecordedField = keyof typeof HISTORY_FIELDS

/** The fields of texts that may have thousands of characters. */
export const LONG_TEXTS = ['whiteboard', 'url'] as const

export function isLongText(field: RecordedField): boolean {
  return LONG_TEXTS.some((name) => name === field)
}

/** A new value for a field of one bug: what its column gets, and the same in the form of history. */
export type FieldChange<Name extends RecordedField = RecordedField> = {
  readonly field: Name
  readonly value: string | number | null
  /** For a column that has a folded companion. */
  readonly folded?: string | null
  readonly added: string
}

function text(column: SQLiteColumn, companion: SQLiteColumn): FieldColumn {
  const value = sql<string>`coalesce(${column}, '')`
  return { column, companion, value, folded: sql`coalesce(${companion}, '')` }
}

type NamedTable =
  | typeof fieldValues
  | typeof products
  | typeof components
  | typeof versions
  | typeof milestones

function named(table: NamedTable, column: SQLiteColumn): FieldColumn {
  const v = aliasColumns<NamedTable>(table, 'v')
  const select = (form: SQL) =>
    sql<string>`(SELECT ${form} FROM ${table} v WHERE ${v.id} = ${column})`
  return { column, value: select(v.name), folded: select(v.nameFold) }
}

function person(column: SQLiteColumn): FieldColumn {
  const select = (form: SQL) =>
    sql<string>`coalesce((SELECT ${form} FROM users u WHERE ${u.id} = ${column}), '')`
  return { column, value: select(u.login), folded: select(u.loginFold) }
}

function same(column: SQLiteColumn, value: SQL<string>): FieldColumn {
  return { column, value, folded: value }
}
