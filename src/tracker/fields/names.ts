import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { fold } from '../../platform/lib/text.ts'
import { FIELD_CATALOGUE, type FieldRow } from './catalogue.ts'

const ROWS: ReadonlyMap<string, FieldRow> = new Map(Object.entries(FIELD_CATALOGUE))

/** The fields by their names in bug objects, which history has too. */
const BY_PUBLIC_NAME: ReadonlyMap<string, { name: string; row: FieldRow }> = new Map(
  [...ROWS].map(([name, row]) => [toPublicName(name), { name, row }]),
)

/** The name of a field in bug objects: `status` for `bug_status`. */
export function toPublicName(internalName: string): string {
  return ROWS.get(internalName)?.apiName ?? internalName
}

/**
 * The internal name of a field, in lower case, from its internal or public name in any case: `bug_status` for
 * `Status`.
 */
export function toInternalName(text: string): string {
  const name = fold(text.trim())
  return BY_PUBLIC_NAME.get(name)?.name ?? name
}

/** What the catalogue says of a field, by its name in bug objects; undefined for a custom one. */
export function findFieldRow(publicName: string): FieldRow | undefined {
  return BY_PUBLIC_NAME.get(publicName)?.row
}

/** The name under which history has the changes of a field; undefined if it has none. */
export function toHistoryName(internalName: string): string | undefined {
  const history = ROWS.get(internalName)?.history
  return history === true ? toPublicName(internalName) : history
}

/** The columns of `bugs` that store the values of built-in select fields, by internal name. */
export const LIST_COLUMNS: Readonly<Record<string, SQLiteColumn>> = {
  bug_status: bugs.statusId,
  resolution: bugs.resolutionId,
  bug_type: bugs.typeId,
  priority: bugs.priorityId,
  bug_severity: bugs.severityId,
  rep_platform: bugs.platformId,
  op_sys: bugs.opSysId,
}
