import type { SQL } from 'drizzle-orm'
import { db } from './client.ts'
import type { Statement } from './commit.ts'
import { auditLog } from './schema/audit.ts'
import { jsonRows, sql } from './sql.ts'

/** Characters of one parameter: in bytes, and written as JSON once more, far below the 2 MB of D1. */
const LARGEST_PART = 200_000

/** What changed, by the name of the field; never with secrets. */
export type Changes = Record<string, { removed: string; added: string }>

/** One entry of the audit log. `objectId` may be SQL, for an object that the same commit makes. */
export type AuditEntry = {
  readonly by: number | null
  /** Unix seconds. */
  readonly at: number
  /** The kind of object as `last_audit_time` names it: Product, Group, User, … */
  readonly objectClass: string
  readonly objectId: number | SQL
  readonly action: 'create' | 'update' | 'remove'
  readonly changes: Changes
}

/** The audit entry that rides in the commit of what it records. */
export function auditStatement({ by, at, changes, ...object }: AuditEntry): Statement {
  return db
    .insert(auditLog)
    .values({ ...object, userId: by, happenedAt: at, changes: JSON.stringify(changes) })
}

/** The same for many objects of one kind, in as few statements as the sizes of texts in D1 allow. */
export function auditStatements(
  { by, at, objectClass, action }: Omit<AuditEntry, 'objectId' | 'changes'>,
  objects: readonly { readonly id: number; readonly changes: Changes }[],
): Statement[] {
  const rows = objects.map(({ id, changes }) => ({ id, changes: JSON.stringify(changes) }))
  return inParts(rows).map(
    (part) => sql`INSERT INTO audit_log
        (user_id, happened_at, object_class, object_id, action, changes)
      SELECT ${by}, ${at}, ${objectClass}, r.value ->> 'id', ${action}, r.value ->> 'changes'
      FROM ${jsonRows(part)}`,
  )
}

function inParts<Row extends { readonly changes: string }>(rows: readonly Row[]): Row[][] {
  const parts: Row[][] = []
  let room = 0
  for (const row of rows) {
    if (room < row.changes.length) {
      parts.push([])
      room = LARGEST_PART
    }
    room -= row.changes.length
    parts.at(-1)?.push(row)
  }
  return parts
}
