import { sql } from 'drizzle-orm'
import { execute, type Row } from './execute.ts'

/** The rows of the flags of a bug and of its attachments, oldest first. */
export async function loadFlags(bugId: number): Promise<Row[]> {
  return execute(sql`SELECT f.id, t.name, f.type_id, f.attachment_id, f.status, f.setter_id,
      f.requestee_id, f.created_at, f.modified_at
    FROM flags f JOIN flag_types t ON t.id = f.type_id WHERE f.bug_id = ${bugId} ORDER BY f.id`)
}

/** The rows of the flag activity of a bug, oldest first. */
export async function loadFlagActivity(bugId: number): Promise<Row[]> {
  return execute(sql`SELECT flag_id, type_id, attachment_id, status, setter_id, requestee_id, happened_at
    FROM flag_activity WHERE bug_id = ${bugId} ORDER BY id`)
}

/** The flags of a bug as short texts: name, status, and the ID of the requestee. */
export async function summarizeFlags(bugId: number): Promise<string[]> {
  const rows = await loadFlags(bugId)
  return rows.map(
    ({ name, status, requestee_id }) =>
      `${name}${status}${requestee_id === null ? '' : `(${requestee_id})`}`,
  )
}
