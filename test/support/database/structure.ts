import { sql } from 'drizzle-orm'
import { execute } from './execute.ts'

/** The entries of the audit log about an object, oldest first. */
export async function loadAuditEntries(objectClass: string, id: number) {
  const entries = await execute(sql`SELECT user_id, action, changes FROM audit_log
    WHERE object_class = ${objectClass} AND object_id = ${id} ORDER BY id`)
  return entries.map(({ user_id, action, changes }) => ({
    user_id,
    action,
    changes: JSON.parse(String(changes)),
  }))
}

/** The revision of a row; undefined if there is no such row. */
export async function loadRevision(table: string, id: number): Promise<unknown> {
  const [row] = await execute(sql`SELECT revision FROM ${sql.raw(table)} WHERE id = ${id}`)
  return row?.revision
}

/** The row of a group with its revision, and its entries in the audit log. */
export async function loadGroupState(id: number) {
  const [row] = await execute(sql`SELECT name, description, user_regexp, is_active, is_bug_group,
      icon_url, revision
    FROM access_groups WHERE id = ${id}`)
  const audit = await loadAuditEntries('Group', id)
  return {
    ...row,
    audit: audit.map(({ user_id, action, changes }) => ({ by: user_id, action, changes })),
  }
}
