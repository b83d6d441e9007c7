import type { SQL } from 'drizzle-orm'
import { db } from './client.ts'
import type { Statement } from './commit.ts'
import { auditLog } from './schema/audit.ts'

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
export function audited({ by, at, changes, ...object }: AuditEntry): Statement {
  return db
    .insert(auditLog)
    .values({ ...object, userId: by, happenedAt: at, changes: JSON.stringify(changes) })
}
