import * as z from 'zod'
import { reminders } from '../../platform/db/schema/reminders.ts'
import { sql } from '../../platform/db/sql.ts'
import { pick } from '../../platform/lib/pick.ts'

export const reminderShape = z
  .strictObject({
    id: z.int(),
    bug_id: z.int(),
    note: z.string(),
    reminder_ts: z.string(),
    creation_ts: z.string(),
    sent: z.boolean(),
  })
  .partial()
  .meta({ title: 'Reminder' })

/** The columns of `ReminderRow`. A reminder that was given up is done, but was not sent. */
export const reminderColumns = {
  ...pick(reminders, 'id', 'bugId', 'note', 'remindOn', 'createdOn'),
  isSent: sql<number>`(${reminders.doneAt} IS NOT NULL AND ${reminders.lastError} IS NULL)`.as(
    'is_sent',
  ),
}

type ReminderRow = {
  id: number
  bugId: number
  note: string
  /** `YYYY-MM-DD`, as is `createdOn`. */
  remindOn: string
  createdOn: string
  isSent: number
}

export function presentReminder(row: ReminderRow): z.output<typeof reminderShape> {
  return {
    id: row.id,
    bug_id: row.bugId,
    note: row.note,
    reminder_ts: row.remindOn,
    creation_ts: row.createdOn,
    sent: row.isSent === 1,
  }
}
