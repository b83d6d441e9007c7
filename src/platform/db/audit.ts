import type { SQL } from 'drizzle-orm'
import type { Statement } from './commit.ts'
import { auditLog } from './schema/audit.ts'
import { columnNames, db, jsonRows, sql } from './sql.ts'

const AUDIT_LOG_COLUMNS = columnNames(
  auditLog.userId,
  auditLog.happenedAt,
  auditLog.objectClass,
  auditLog.objectId,
  auditLog.action,
  auditLog.changes,
)

/** Characters per parameter: even in bytes and escaped again as JSON, far below the 2 MB of D1. */
const MAX_PART_LENGTH = 200_000

/** Changes by the name of the field; never with secrets. */
export type Changes = Record<string, { removed: string; added: string }>

/** An entry of the audit log. `objectId` may be SQL, for an object that the same commit creates. */
type AuditEntry = {
  readonly by: number | null
  /** Unix seconds. */
  readonly at: number
  /** Product, Group, User …, as in the parameter `class` of `last_audit_time`. */
  readonly objectClass: string
  readonly objectId: number | SQL
  readonly action: 'create' | 'update' | 'remove'
  readonly changes: Changes
}

/** Inserts an audit entry, in the commit of the change that it records. */
export function auditStatement({ by, at, changes, ...object }: AuditEntry): Statement {
  return db
    .insert(auditLog)
    .values({ ...object, userId: by, happenedAt: at, changes: JSON.stringify(changes) })
}

/** Inserts entries for many objects of one class, in as few statements as the limits of D1 allow. */
export function auditStatements(
  { by, at, objectClass, action }: Omit<AuditEntry, 'objectId' | 'changes'>,
  objects: readonly { readonly id: number; readonly changes: Changes }[],
): Statement[] {
  const rows = objects.map(({ id, changes }) => ({ id, changes: JSON.stringify(changes) }))
  return splitIntoParts(rows).map(
    (part) => sql`INSERT INTO audit_log
        (${AUDIT_LOG_COLUMNS})
      SELECT ${by}, ${at}, ${objectClass}, r.value ->> 'id', ${action}, r.value ->> 'changes'
      FROM ${jsonRows(part)}`,
  )
}

function splitIntoParts<Row extends { readonly changes: string }>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = []
  let space = 0
  for (const row of rows) {
    if (space < row.changes.length) {
      parts.push([])
      space = MAX_PART_LENGTH
    }
    space -= row.changes.length
    parts.at(-1)?.push(row)
  }
  return parts
}
