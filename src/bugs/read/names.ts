import type { SQL } from 'drizzle-orm'
import { sql } from '../../db/sql.ts'

/** What a bug refers to by an ID: how it is read, and the joins behind the table `bugs` which that needs. */
type Beside = { readonly alias: string; readonly joins: readonly string[]; readonly shown: SQL }

/** Expressions over a row beside the bug's. */
const name = (row: string) => `${row}.name`
const nameAndState = (row: string) => ifThere(row, `json_array(${row}.name, ${row}.is_open)`)
const person = (row: string) =>
  ifThere(row, `json_array(${row}.id, ${row}.login, ${row}.real_name, ${row}.nick)`)

const PRODUCT = beside('products', 'product_id', name)
const COMPONENT = beside('components', 'component_id', name)

/**
 * The columns of a bug that are read from rows beside it. Those are joined, because a row is opened once
 * for all bugs then; never is a bug left out for want of one.
 */
export const NAMES = {
  status: beside('field_values', 'status_id', nameAndState),
  resolution: beside('field_values', 'resolution_id', name),
  type: beside('field_values', 'type_id', name),
  priority: beside('field_values', 'priority_id', name),
  severity: beside('field_values', 'severity_id', name),
  platform: beside('field_values', 'platform_id', name),
  opSys: beside('field_values', 'op_sys_id', name),
  product: PRODUCT,
  component: COMPONENT,
  version: beside('versions', 'version_id', name),
  milestone: beside('milestones', 'milestone_id', name),
  classification: beside('classifications', 'classification_id', name, PRODUCT),
  assignedTo: beside('users', 'assigned_to_id', person),
  creator: beside('users', 'reporter_id', person),
  qaContact: beside('users', 'qa_contact_id', person),
  triageOwner: beside('users', 'triage_owner_id', person, COMPONENT),
} satisfies Readonly<Record<string, Beside>>

export type NameColumn = keyof typeof NAMES

/** What has to be joined to `bugs` for some of its columns, each once. */
export function joinsFor(columns: readonly string[]): SQL {
  const joins = columns.flatMap((column) => (isName(column) ? NAMES[column].joins : []))
  return sql.raw([...new Set(joins)].join(' '))
}

function isName(column: string): column is NameColumn {
  return Object.hasOwn(NAMES, column)
}

function beside(
  table: string,
  column: string,
  shown: (row: string) => string,
  behind?: Beside,
): Beside {
  const alias = `of_${column}`
  const join = `LEFT JOIN ${table} ${alias} ON ${alias}.id = ${behind?.alias ?? 'bugs'}.${column}`
  return { alias, joins: [...(behind?.joins ?? []), join], shown: sql.raw(shown(alias)) }
}

function ifThere(row: string, shown: string): string {
  return `CASE WHEN ${row}.id IS NOT NULL THEN ${shown} END`
}
