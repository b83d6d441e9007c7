import { getTableName, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../../platform/db/schema/bugs.ts'
import { fieldValues } from '../../../platform/db/schema/fields.ts'
import {
  classifications,
  components,
  milestones,
  products,
  versions,
} from '../../../platform/db/schema/products.ts'
import { users } from '../../../platform/db/schema/users.ts'
import { type AliasedColumns, aliasColumns, columnName, sql } from '../../../platform/db/sql.ts'

/** What a bug refers to by an ID: how it is read, and the joins behind the table `bugs` which that needs. */
type Beside = { readonly alias: string; readonly joins: readonly SQL[]; readonly shown: SQL }

type Row = { readonly id: SQL }

/** Expressions over a row beside the bug's. */
const name = (row: { readonly name: SQL }) => row.name
const nameAndState = (row: Row & { readonly name: SQL; readonly isOpen: SQL }) =>
  ifThere(row, sql`json_array(${row.name}, ${row.isOpen})`)
const person = (row: AliasedColumns<typeof users>) =>
  ifThere(row, sql`json_array(${row.id}, ${row.login}, ${row.realName}, ${row.nick})`)

const PRODUCT = beside(products, bugs.productId, name)
const COMPONENT = beside(components, bugs.componentId, name)

/**
 * The columns of a bug that are read from rows beside it. Those are joined, because a row is opened once
 * for all bugs then; never is a bug left out for want of one.
 */
export const NAMES = {
  status: beside(fieldValues, bugs.statusId, nameAndState),
  resolution: beside(fieldValues, bugs.resolutionId, name),
  type: beside(fieldValues, bugs.typeId, name),
  priority: beside(fieldValues, bugs.priorityId, name),
  severity: beside(fieldValues, bugs.severityId, name),
  platform: beside(fieldValues, bugs.platformId, name),
  opSys: beside(fieldValues, bugs.opSysId, name),
  product: PRODUCT,
  component: COMPONENT,
  version: beside(versions, bugs.versionId, name),
  milestone: beside(milestones, bugs.milestoneId, name),
  classification: beside(classifications, products.classificationId, name, PRODUCT),
  assignedTo: beside(users, bugs.assignedToId, person),
  creator: beside(users, bugs.reporterId, person),
  qaContact: beside(users, bugs.qaContactId, person),
  triageOwner: beside(users, components.triageOwnerId, person, COMPONENT),
} satisfies Readonly<Record<string, Beside>>

export type NameColumn = keyof typeof NAMES

export function joinsFor(columns: readonly string[]): SQL {
  const joins = columns.flatMap((column) => (isName(column) ? NAMES[column].joins : []))
  return sql.join([...new Set(joins)], sql` `)
}

function isName(column: string): column is NameColumn {
  return Object.hasOwn(NAMES, column)
}

function beside<Table extends SQLiteTable & { readonly id: SQLiteColumn }>(
  table: Table,
  column: SQLiteColumn,
  shown: (row: AliasedColumns<Table>) => SQL,
  behind?: Beside,
): Beside {
  const alias = `of_${column.name}`
  const row = aliasColumns(table, alias)
  const reference =
    behind === undefined ? sql`${column}` : sql`${sql.raw(behind.alias)}.${columnName(column)}`
  const source = sql.raw(`LEFT JOIN ${getTableName(table)} ${alias}`)
  const join = sql`${source} ON ${row.id} = ${reference}`
  return { alias, joins: [...(behind?.joins ?? []), join], shown: shown(row) }
}

function ifThere(row: Row, shown: SQL): SQL {
  return sql`CASE WHEN ${row.id} IS NOT NULL THEN ${shown} END`
}
