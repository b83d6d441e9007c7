import type { SQL } from 'drizzle-orm'
import type { Person } from '../access/caller.ts'
import { bugInScopeCondition } from '../access/visibility.ts'
import { reminders } from '../db/schema/reminders.ts'
import { sql } from '../db/sql.ts'

/** The reminders of the caller; through an API key for some products, those about bugs of these. */
export function reachableReminderCondition(caller: Person): SQL {
  return sql`(${reminders.userId} = ${caller.id} AND ${bugInScopeCondition(caller, reminders.bugId)})`
}
