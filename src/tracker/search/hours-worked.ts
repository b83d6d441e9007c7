import type { SQL } from 'drizzle-orm'
import type { Viewer } from '../../platform/access/caller.ts'
import { isInsider } from '../../platform/access/rights.ts'
import { bugs } from '../../platform/db/schema/bugs.ts'
import { sql } from '../../platform/db/sql.ts'

/** The hours worked that the viewer may know of: those on private comments are for insiders. */
export function hoursWorked(viewer: Viewer): SQL {
  return sql`${isInsider(viewer) ? bugs.workedTime : bugs.publicWorkedTime}`
}
